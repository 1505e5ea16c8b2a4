// Made by tools/types.mjs from /openapi.json; not written by hand.

export interface paths {
    "/api/v1/overview": {
        parameters: {
        };
        /** Version, access, executions by status, and what happened lately. */
        get: {
            parameters: {
                query?: {
                    rates?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: string;
                            executions: object;
                            waits: object;
                            dead_letters: number;
                            measured_since: string;
                            lateness: {
                                count?: number;
                                p50_ms?: number | null;
                                p99_ms?: number | null;
                            };
                            failures: object[];
                            rates?: {
                                step_ms?: number;
                                steps?: unknown[];
                            } | null;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/session": {
        parameters: {
        };
        /** Who asks. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            account_id: string;
                            role: string;
                            actor: string;
                            /** @enum {unknown} */
                            access: "keys" | "local" | "insecure";
                            version: string;
                            console?: string | null;
                            now: string;
                            virtual_clock?: boolean;
                            csrf?: string | null;
                        };
                    };
                };
            };
        };
        /** Exchange a key for a cookie, for browsers. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        key: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            account_id: string;
                            role: string;
                            actor: string;
                            /** @enum {unknown} */
                            access: "keys" | "local" | "insecure";
                            version: string;
                            console?: string | null;
                            now: string;
                            virtual_clock?: boolean;
                            csrf?: string | null;
                        };
                    };
                };
            };
        };
        /** Sign out. */
        delete: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/workflows": {
        parameters: {
        };
        /** List workflows. */
        get: {
            parameters: {
                query?: {
                    measures?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/check": {
        parameters: {
        };
        /** Check a definition without storing it. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        nodes: object[];
                        edges: object[];
                        entry?: string;
                        result?: unknown;
                        timeout_ms?: number;
                    } | {
                        /** @constant */
                        language: "flow";
                        source: string;
                    };
                    "text/x-flow": string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            valid: boolean;
                            hash?: string;
                            errors: unknown[];
                            warnings: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}": {
        parameters: {
        };
        /** A workflow with its current definition. */
        get: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            active: boolean;
                            version: number;
                            latest_version?: number;
                            hash: string;
                            /** @enum {unknown} */
                            language?: "graph" | "flow";
                            webhook_guid?: string;
                            warnings?: unknown[];
                        };
                    };
                };
            };
        };
        /** Store a definition; new content makes a new version. */
        put: {
            parameters: {
                query?: {
                    current?: string;
                };
                path: {
                    workflow_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        nodes: object[];
                        edges: object[];
                        entry?: string;
                        result?: unknown;
                        timeout_ms?: number;
                    } | {
                        /** @constant */
                        language: "flow";
                        source: string;
                    };
                    "text/x-flow": string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            active: boolean;
                            version: number;
                            latest_version?: number;
                            hash: string;
                            /** @enum {unknown} */
                            language?: "graph" | "flow";
                            webhook_guid?: string;
                            warnings?: unknown[];
                        };
                    };
                };
            };
        };
        /** Delete a workflow; its executions keep their definition. */
        delete: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/versions": {
        parameters: {
        };
        /** List a workflow's versions. */
        get: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/versions/{version}": {
        parameters: {
        };
        /** One version with its definition. */
        get: {
            parameters: {
                path: {
                    workflow_id: string;
                    version: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        /** Remove a version that nothing needs any more. */
        delete: {
            parameters: {
                path: {
                    workflow_id: string;
                    version: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/activate": {
        parameters: {
        };
        /** Let the workflow be started; what was held goes on. */
        post: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        on_waits?: "cancel" | "hold" | "keep";
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            active: boolean;
                            version: number;
                            latest_version?: number;
                            hash: string;
                            /** @enum {unknown} */
                            language?: "graph" | "flow";
                            webhook_guid?: string;
                            warnings?: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/deactivate": {
        parameters: {
        };
        /** Refuse starts and webhooks from now on; waits are cancelled, held or kept. */
        post: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        on_waits?: "cancel" | "hold" | "keep";
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            active: boolean;
                            version: number;
                            latest_version?: number;
                            hash: string;
                            /** @enum {unknown} */
                            language?: "graph" | "flow";
                            webhook_guid?: string;
                            warnings?: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/rollback": {
        parameters: {
        };
        /** Make an earlier version the current one. */
        post: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        version: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            active: boolean;
                            version: number;
                            latest_version?: number;
                            hash: string;
                            /** @enum {unknown} */
                            language?: "graph" | "flow";
                            webhook_guid?: string;
                            warnings?: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/executions": {
        parameters: {
        };
        /** Start an execution. */
        post: {
            parameters: {
                query?: {
                    wait?: string;
                };
                path: {
                    workflow_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        input?: unknown;
                        version?: number;
                        labels?: {
                            [key: string]: string;
                        };
                        contact_id?: string;
                        /** Format: date-time */
                        start_at?: string;
                        timeout_ms?: number;
                        /** @enum {unknown} */
                        on_failure?: "keep" | "rollback";
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions": {
        parameters: {
        };
        /** List executions, newest first (`sort=started_at`: oldest first). */
        get: {
            parameters: {
                query?: {
                    status?: string;
                    workflow_id?: string;
                    label?: string;
                    contact_id?: string;
                    parent?: string;
                    from?: string;
                    to?: string;
                    q?: string;
                    version?: string;
                    error_code?: string;
                    node?: string;
                    wait_kind?: string;
                    retrying?: string;
                    attention?: string;
                    sort?: string;
                    limit?: string;
                    cursor?: string;
                    offset?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/bulk": {
        parameters: {
        };
        /** Act on a selection of executions, or show what would happen. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        action?: "cancel" | "pause" | "resume" | "retry" | "rerun" | "migrate" | "signal";
                        filter?: object;
                        ids?: string[];
                        all?: boolean;
                        reason?: string;
                        dry_run?: boolean;
                        token?: string;
                        per_second?: number;
                        per_minute?: number;
                        version?: number;
                        map?: object;
                        from_node?: string;
                        name?: string;
                        payload?: unknown;
                    };
                };
            };
            responses: {
                /** @description Done. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            bulk_id: string;
                            state?: string;
                            matched?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/bulk/{bulk_id}": {
        parameters: {
        };
        /** The same as /bulk/{bulk_id}. */
        get: {
            parameters: {
                path: {
                    bulk_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            kind: string;
                            action: string;
                            /** @enum {unknown} */
                            state: "running" | "done" | "stopped";
                            matched: number;
                            processed: number;
                            done: number;
                            refused: number;
                            failed: number;
                            problems?: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/bulk": {
        parameters: {
        };
        /** List bulk operations, newest first. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/bulk/{bulk_id}": {
        parameters: {
        };
        /** How far a bulk operation has come. */
        get: {
            parameters: {
                path: {
                    bulk_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            kind: string;
                            action: string;
                            /** @enum {unknown} */
                            state: "running" | "done" | "stopped";
                            matched: number;
                            processed: number;
                            done: number;
                            refused: number;
                            failed: number;
                            problems?: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/bulk/{bulk_id}/items": {
        parameters: {
        };
        /** What became of each thing of its selection. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    bulk_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/bulk/{bulk_id}/stop": {
        parameters: {
        };
        /** End a bulk operation; what it has done stays done. */
        post: {
            parameters: {
                path: {
                    bulk_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            kind: string;
                            action: string;
                            /** @enum {unknown} */
                            state: "running" | "done" | "stopped";
                            matched: number;
                            processed: number;
                            done: number;
                            refused: number;
                            failed: number;
                            problems?: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}": {
        parameters: {
        };
        /** An execution with its result. */
        get: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            workflow_id: string;
                            version: number;
                            hash?: string;
                            account_id?: string;
                            /** @enum {unknown} */
                            status: "running" | "waiting" | "paused" | "completed" | "failed" | "cancelled" | "timed_out";
                            input?: unknown;
                            output?: unknown;
                            error?: object | null;
                            labels?: object | null;
                            started_at?: string;
                            completed_at?: string | null;
                            waiting?: unknown[];
                            progress?: object;
                        };
                    };
                };
            };
        };
        /** Remove an ended execution and its history. */
        delete: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/history": {
        parameters: {
        };
        /** The events of an execution in order. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                    after?: string;
                };
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/values/{sequence}/{field}": {
        parameters: {
        };
        /** The value a `ref` of the history or the stream stands for. */
        get: {
            parameters: {
                path: {
                    execution_id: string;
                    sequence: string;
                    field: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/snapshot": {
        parameters: {
        };
        /** What a script that is parked holds: fibers, frames, lines and variables. */
        get: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/stream": {
        parameters: {
        };
        /** The events of an execution as they happen. */
        get: {
            parameters: {
                query?: {
                    last_event_id?: string;
                    detail?: string;
                };
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/nodes": {
        parameters: {
        };
        /** Status and counts of each node. */
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/nodes/{node}": {
        parameters: {
        };
        /** Status and counts of one node, and what became of it in one branch. */
        get: {
            parameters: {
                query?: {
                    at?: string;
                    item?: string;
                };
                path: {
                    execution_id: string;
                    node: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/nodes/{node}/items": {
        parameters: {
        };
        /** What became of a node in each branch and visit. */
        get: {
            parameters: {
                query?: {
                    at?: string;
                    status?: string;
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    execution_id: string;
                    node: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/cancel": {
        parameters: {
        };
        /** End an execution. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                        force?: boolean;
                        rollback?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/pause": {
        parameters: {
        };
        /** Let nothing start until it is resumed. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/resume": {
        parameters: {
        };
        /** Go on after a pause. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/signals/{name}": {
        parameters: {
        };
        /** Send a signal to an execution. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                    name: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        payload?: unknown;
                        id?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/migrate": {
        parameters: {
        };
        /** Switch a live execution to another version. */
        post: {
            parameters: {
                query?: {
                    dry_run?: string;
                };
                path: {
                    execution_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        version: number;
                        map?: object;
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/retry": {
        parameters: {
        };
        /** A new execution that goes on where this one failed. */
        post: {
            parameters: {
                query?: {
                    dry_run?: string;
                };
                path: {
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        version?: number;
                        map?: {
                            [key: string]: string;
                        };
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/rerun": {
        parameters: {
        };
        /** A new execution from one of this one's nodes. */
        post: {
            parameters: {
                query?: {
                    dry_run?: string;
                };
                path: {
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        from_node?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/fork": {
        parameters: {
        };
        /** A new execution from a moment of this one. */
        post: {
            parameters: {
                query?: {
                    dry_run?: string;
                };
                path: {
                    execution_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        at_sequence: number;
                        changes?: object;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/stream": {
        parameters: {
        };
        /** The account's executions and other things as they change. */
        get: {
            parameters: {
                query?: {
                    kinds?: string;
                    execution?: string;
                    last_event_id?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/credentials": {
        parameters: {
        };
        /** List credentials without their values. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
        /** Create a credential; its values are sealed and never shown. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        id?: string;
                        name?: string;
                        /** @enum {unknown} */
                        type?: "token" | "basic_auth" | "header" | "api_key" | "oauth2" | "query" | "hmac_sha256" | "smtp" | "custom";
                        values?: object;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            type: string;
                            revision: number;
                            created_at?: string;
                            updated_at?: string;
                            last_used_at?: string | null;
                            revoked_at?: string | null;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/credentials/reseal": {
        parameters: {
        };
        /** Seal every credential under the first key. */
        post: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            resealed: number;
                            kept: number;
                            unreadable: string[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/credentials/{credential_id}": {
        parameters: {
        };
        /** A credential without its values. */
        get: {
            parameters: {
                path: {
                    credential_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            type: string;
                            revision: number;
                            created_at?: string;
                            updated_at?: string;
                            last_used_at?: string | null;
                            revoked_at?: string | null;
                        };
                    };
                };
            };
        };
        /** Create or replace a credential; what is left out stays as it is. */
        put: {
            parameters: {
                path: {
                    credential_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        id?: string;
                        name?: string;
                        /** @enum {unknown} */
                        type?: "token" | "basic_auth" | "header" | "api_key" | "oauth2" | "query" | "hmac_sha256" | "smtp" | "custom";
                        values?: object;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            type: string;
                            revision: number;
                            created_at?: string;
                            updated_at?: string;
                            last_used_at?: string | null;
                            revoked_at?: string | null;
                        };
                    };
                };
            };
        };
        /** Delete a credential. */
        delete: {
            parameters: {
                path: {
                    credential_id: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/credentials/{credential_id}/revoke": {
        parameters: {
        };
        /** Destroy a credential's values; nodes that use it fail from now on. */
        post: {
            parameters: {
                path: {
                    credential_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name: string;
                            type: string;
                            revision: number;
                            created_at?: string;
                            updated_at?: string;
                            last_used_at?: string | null;
                            revoked_at?: string | null;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/keys": {
        parameters: {
        };
        /** List keys. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
        /** Create a key; its secret is shown once. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        /** @enum {unknown} */
                        role: "viewer" | "operator" | "editor" | "admin" | "root" | "worker";
                        /** Format: date-time */
                        expires_at?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/keys/{key_id}": {
        parameters: {
        };
        /** One key. */
        get: {
            parameters: {
                path: {
                    key_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        /** Revoke a key. */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                };
                path: {
                    key_id: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/audit": {
        parameters: {
        };
        /** Who did what, why and when, newest first. */
        get: {
            parameters: {
                query?: {
                    action?: string;
                    subject?: string;
                    actor?: string;
                    from?: string;
                    to?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules": {
        parameters: {
        };
        /** List schedules, newest first. */
        get: {
            parameters: {
                query?: {
                    workflow_id?: string;
                    status?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
        /** Make a schedule that starts executions by a rule. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        id?: string;
                        workflow_id: string;
                        version?: number | null;
                        cron?: string | null;
                        every_ms?: number | null;
                        timezone?: string;
                        /** @enum {unknown} */
                        gap_policy?: "gap_end" | "shift";
                        input?: unknown;
                        labels?: {
                            [key: string]: string;
                        } | null;
                        jitter_ms?: number;
                        /** @enum {unknown} */
                        overlap?: "skip" | "queue" | "allow" | "cancel_previous";
                        /** @enum {unknown} */
                        catch_up?: "one" | "all" | "none";
                        catch_up_ms?: number;
                        /** Format: date-time */
                        start_at?: string | null;
                        /** Format: date-time */
                        end_at?: string | null;
                        max_runs?: number | null;
                        paused?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            workflow_id: string;
                            status: string;
                            next: string | null;
                            revision: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/preview": {
        parameters: {
        };
        /** Show when a rule fires next; stores nothing. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        cron?: string;
                        every_ms?: number;
                        timezone?: string;
                        /** @enum {unknown} */
                        gap_policy?: "gap_end" | "shift";
                        /** Format: date-time */
                        start_at?: string;
                        /** Format: date-time */
                        end_at?: string;
                        /** Format: date-time */
                        from?: string;
                        n?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            timezone: string;
                            tzdata: string;
                            next: object[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/{schedule_id}": {
        parameters: {
        };
        /** A schedule and what it expects. */
        get: {
            parameters: {
                path: {
                    schedule_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            workflow_id: string;
                            status: string;
                            next: string | null;
                            revision: number;
                        };
                    };
                };
            };
        };
        /** Make a schedule or replace it. */
        put: {
            parameters: {
                path: {
                    schedule_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        id?: string;
                        workflow_id: string;
                        version?: number | null;
                        cron?: string | null;
                        every_ms?: number | null;
                        timezone?: string;
                        /** @enum {unknown} */
                        gap_policy?: "gap_end" | "shift";
                        input?: unknown;
                        labels?: {
                            [key: string]: string;
                        } | null;
                        jitter_ms?: number;
                        /** @enum {unknown} */
                        overlap?: "skip" | "queue" | "allow" | "cancel_previous";
                        /** @enum {unknown} */
                        catch_up?: "one" | "all" | "none";
                        catch_up_ms?: number;
                        /** Format: date-time */
                        start_at?: string | null;
                        /** Format: date-time */
                        end_at?: string | null;
                        max_runs?: number | null;
                        paused?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            workflow_id: string;
                            status: string;
                            next: string | null;
                            revision: number;
                        };
                    };
                };
            };
        };
        /** Remove a schedule; its executions go on. */
        delete: {
            parameters: {
                path: {
                    schedule_id: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        /** Change what the body names of a schedule. */
        patch: {
            parameters: {
                path: {
                    schedule_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": object;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            workflow_id: string;
                            status: string;
                            next: string | null;
                            revision: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/{schedule_id}/pause": {
        parameters: {
        };
        /** Let no occurrence start an execution. */
        post: {
            parameters: {
                path: {
                    schedule_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            workflow_id: string;
                            status: string;
                            next: string | null;
                            revision: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/{schedule_id}/resume": {
        parameters: {
        };
        /** Let occurrences from now on start executions again. */
        post: {
            parameters: {
                path: {
                    schedule_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            workflow_id: string;
                            status: string;
                            next: string | null;
                            revision: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/{schedule_id}/trigger": {
        parameters: {
        };
        /** Start an execution now; the rule goes on as before. */
        post: {
            parameters: {
                path: {
                    schedule_id: string;
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            execution_id: string;
                            schedule_id: string;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/{schedule_id}/backfill": {
        parameters: {
        };
        /** Start executions for past occurrences of the rule. */
        post: {
            parameters: {
                path: {
                    schedule_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** Format: date-time */
                        from: string;
                        /** Format: date-time */
                        to: string;
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            count: number;
                            dry_run: boolean;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/{schedule_id}/preview": {
        parameters: {
        };
        /** The occurrences that come next. */
        get: {
            parameters: {
                query?: {
                    n?: string;
                };
                path: {
                    schedule_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            timezone: string;
                            tzdata: string;
                            next: object[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/{schedule_id}/occurrences": {
        parameters: {
        };
        /** What became of occurrences, newest first. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    schedule_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/schedules/{schedule_id}/history": {
        parameters: {
        };
        /** The events of a schedule, newest first. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    schedule_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs": {
        parameters: {
        };
        /** List jobs, newest first. */
        get: {
            parameters: {
                query?: {
                    state?: string;
                    topic?: string;
                    label?: string;
                    run_id?: string;
                    workflow_id?: string;
                    worker_id?: string;
                    pool?: string;
                    reason_code?: string;
                    from?: string;
                    to?: string;
                    q?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
        /** Submit a job. */
        post: {
            parameters: {
                query?: {
                    wait?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        id?: string;
                        topic: string;
                        input?: unknown;
                        env?: object;
                        adapter_id?: string;
                        memory_id?: string;
                        /** @enum {unknown} */
                        priority?: "critical" | "interactive" | "batch";
                        labels?: {
                            [key: string]: string;
                        };
                        capability?: string;
                        risk_tags?: string[];
                        requires?: string[];
                        pack_id?: string;
                        actor?: object;
                        principal_id?: string;
                        budget?: object;
                        run_timeout_ms?: number;
                        start_timeout_ms?: number;
                        queue_timeout_ms?: number;
                        retry?: object;
                        scheduling?: object;
                        concurrency?: object;
                        idempotency_key?: string;
                        compensation?: object;
                        parent_job_id?: string;
                        saga_id?: string;
                        traceparent?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                            phase?: string;
                            reason_code?: string;
                            request_hash: string;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/batch": {
        parameters: {
        };
        /** Submit up to 1000 jobs; each is answered for itself. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        jobs: unknown[];
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/bulk": {
        parameters: {
        };
        /** Cancel a selection of jobs, or show what would happen. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        action?: "cancel";
                        filter?: object;
                        ids?: string[];
                        all?: boolean;
                        reason?: string;
                        per_second?: number;
                        per_minute?: number;
                        dry_run?: boolean;
                        token?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            bulk_id: string;
                            state?: string;
                            matched?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/stats": {
        parameters: {
        };
        /** How many jobs by state. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}": {
        parameters: {
        };
        /** A job with what was asked and what became of it. */
        get: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/history": {
        parameters: {
        };
        /** The events of a job in order. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/attempts": {
        parameters: {
        };
        /** Who tried the job and how that ended. */
        get: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/result": {
        parameters: {
        };
        /** Output or error of a job that has ended. */
        get: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/logs": {
        parameters: {
        };
        /** What the attempts of a job have said, oldest first. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/stream": {
        parameters: {
        };
        /** The events of a job as they happen. */
        get: {
            parameters: {
                query?: {
                    last_event_id?: string;
                };
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/artifacts/{name}": {
        parameters: {
        };
        /** An artifact of a job. */
        get: {
            parameters: {
                path: {
                    job_id: string;
                    name: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/blobs/{sha256}": {
        parameters: {
        };
        /** A large input or output of a job. */
        get: {
            parameters: {
                path: {
                    job_id: string;
                    sha256: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/cancel": {
        parameters: {
        };
        /** End a job; its worker is told to stop. */
        post: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                            phase?: string;
                            reason_code?: string;
                            request_hash: string;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/amend": {
        parameters: {
        };
        /** Change a job that was never dispatched. */
        post: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        labels?: object;
                        input?: unknown;
                        topic?: string;
                        budget?: object;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                            phase?: string;
                            reason_code?: string;
                            request_hash: string;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/remediate": {
        parameters: {
        };
        /** Submit a job that policy denied the way its rule proposes; one job per proposal. */
        post: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        remediation_id: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                            phase?: string;
                            reason_code?: string;
                            request_hash: string;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/output": {
        parameters: {
        };
        /** An output that is held back; each reading is audited. */
        get: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/output/release": {
        parameters: {
        };
        /** Let a quarantined output be used; nothing is executed again. */
        post: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        note?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                            phase?: string;
                            reason_code?: string;
                            request_hash: string;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/output/discard": {
        parameters: {
        };
        /** Destroy a quarantined output. */
        post: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                            phase?: string;
                            reason_code?: string;
                            request_hash: string;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/dlq": {
        parameters: {
        };
        /** Jobs that ended badly, newest first; open entries unless `state` says otherwise. */
        get: {
            parameters: {
                query?: {
                    state?: string;
                    reason_code?: string;
                    topic?: string;
                    status?: string;
                    job_id?: string;
                    run_id?: string;
                    from?: string;
                    to?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/dlq/stats": {
        parameters: {
        };
        /** How many entries are open, by reason. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/dlq/{entry_id}": {
        parameters: {
        };
        /** One entry. */
        get: {
            parameters: {
                path: {
                    entry_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        /** Nobody will see to it: the entry is resolved as discarded. */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                };
                path: {
                    entry_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/dlq/{entry_id}/retry": {
        parameters: {
        };
        /** Submit what failed once more, judged anew; however often, it is one job. */
        post: {
            parameters: {
                path: {
                    entry_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        changes?: {
                            topic?: string;
                            input?: unknown;
                            labels?: object;
                            /** @enum {unknown} */
                            priority?: "critical" | "interactive" | "batch";
                            budget?: object;
                        };
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                            phase?: string;
                            reason_code?: string;
                            request_hash: string;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/dlq/bulk": {
        parameters: {
        };
        /** Retry or drop a selection of entries, or show what would happen. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        action?: "retry" | "drop";
                        filter?: object;
                        ids?: string[];
                        all?: boolean;
                        reason?: string;
                        rate_per_second?: number;
                        per_second?: number;
                        per_minute?: number;
                        dry_run?: boolean;
                        token?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            bulk_id: string;
                            state?: string;
                            matched?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/dlq/purge": {
        parameters: {
        };
        /** The same for up to 1000 open entries at once. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        filter: unknown;
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/queues": {
        parameters: {
        };
        /** What waits for workers, by topic and priority. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/placement": {
        parameters: {
        };
        /** Workers that could take the job with their scores, or what keeps it from one. */
        get: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/pools": {
        parameters: {
        };
        /** Pools, their terms and who works there. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/pools/{pool}": {
        parameters: {
        };
        /** Make or replace a pool. */
        put: {
            parameters: {
                path: {
                    pool: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        capabilities?: string[];
                        requires?: unknown[];
                        max_concurrent?: number;
                        rate?: object;
                        /** @enum {unknown} */
                        status?: "active" | "draining" | "inactive";
                        drain_until?: string;
                        lease_ms?: number;
                        run_timeout_ms?: number;
                        start_timeout_ms?: number;
                        queue_timeout_ms?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            revision: number;
                        };
                    };
                };
            };
        };
        /** Remove a pool. */
        delete: {
            parameters: {
                path: {
                    pool: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/pools/{pool}/topics/{topic}": {
        parameters: {
        };
        /** Let jobs of the topic, or pattern of topics, go to the pool. */
        put: {
            parameters: {
                path: {
                    pool: string;
                    topic: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            revision: number;
                        };
                    };
                };
            };
        };
        /** Let them go there no longer. */
        delete: {
            parameters: {
                path: {
                    pool: string;
                    topic: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/pools/{pool}/drain": {
        parameters: {
        };
        /** No new jobs for the pool; what it holds after timeout_ms goes elsewhere. */
        post: {
            parameters: {
                path: {
                    pool: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        timeout_ms?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            revision: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/pools/{pool}/activate": {
        parameters: {
        };
        /** Give the pool jobs again. */
        post: {
            parameters: {
                path: {
                    pool: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            revision: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/limits": {
        parameters: {
        };
        /** Limits that hold for the account, and what is used of them. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        /** Replace the limits of accounts, topics and keys. */
        put: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        accounts?: object;
                        topics?: object;
                        keys?: object;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            revision: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workers": {
        parameters: {
        };
        /** Workers that are known. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workers/{worker_id}": {
        parameters: {
        };
        /** A worker, its load and what it holds. */
        get: {
            parameters: {
                path: {
                    worker_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/workers/{worker_id}/jobs": {
        parameters: {
        };
        /** Jobs whose last attempt the worker was given, newest first. */
        get: {
            parameters: {
                query?: {
                    state?: string;
                    topic?: string;
                    label?: string;
                    run_id?: string;
                    workflow_id?: string;
                    pool?: string;
                    reason_code?: string;
                    from?: string;
                    to?: string;
                    q?: string;
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    worker_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workers/{worker_id}/drain": {
        parameters: {
        };
        /** Give the worker no more jobs; what it holds after timeout_ms goes elsewhere. */
        post: {
            parameters: {
                path: {
                    worker_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        timeout_ms?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/workers/{worker_id}/undrain": {
        parameters: {
        };
        /** Give the worker jobs again. */
        post: {
            parameters: {
                path: {
                    worker_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/workers/{worker_id}/revoke": {
        parameters: {
        };
        /** Send the worker away; its jobs go back at once. */
        post: {
            parameters: {
                path: {
                    worker_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/waits/preview": {
        parameters: {
        };
        /** Show when a wait would resume; stores nothing. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        wait_type: "fixed_time" | "until_date" | "until_time";
                        config?: object;
                        now?: string;
                        contact_id?: string;
                        contact_timezone?: string;
                        account_timezone?: string;
                        count?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            scheduled_at: string;
                            local_target?: string | null;
                            timezone?: string | null;
                            timezone_source?: string | null;
                            /** @enum {unknown} */
                            adjusted?: "gap" | "overlap" | null;
                            past: boolean;
                            explain: object;
                            next: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits": {
        parameters: {
        };
        /** List waits by due time. */
        get: {
            parameters: {
                query?: {
                    status?: string;
                    source?: string;
                    overdue?: string;
                    q?: string;
                    wait_type?: string;
                    workflow_id?: string;
                    execution_id?: string;
                    contact_id?: string;
                    step_id?: string;
                    event_type?: string;
                    on_hold?: string;
                    due_from?: string;
                    due_to?: string;
                    limit?: string;
                    offset?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/overdue": {
        parameters: {
        };
        /** Waits that should have resumed, oldest first. */
        get: {
            parameters: {
                query?: {
                    older_than_s?: string;
                    wait_type?: string;
                    workflow_id?: string;
                    execution_id?: string;
                    contact_id?: string;
                    step_id?: string;
                    event_type?: string;
                    due_from?: string;
                    due_to?: string;
                    limit?: string;
                    offset?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/stats": {
        parameters: {
        };
        /** Numbers of waits, from kept counters. */
        get: {
            parameters: {
                query?: {
                    workflow_id?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            as_of: string;
                            tzdata?: string;
                            active: object;
                            opened: object;
                            upcoming: object;
                            average_duration_s: object;
                            overdue: object;
                            listeners: object;
                            on_hold: number;
                            delayed: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/calendar": {
        parameters: {
        };
        /** How many waits resume in each hour or day to come. */
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    bucket?: string;
                    zone?: string;
                    workflow_id?: string;
                    wait_type?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            zone: string;
                            buckets: object[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/bulk": {
        parameters: {
        };
        /** Act on a selection of waits, or show what would happen. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        action?: "resume" | "cancel" | "recompute" | "hold" | "release";
                        filter?: object;
                        ids?: string[];
                        all?: boolean;
                        reason?: string;
                        branch?: string;
                        per_second?: number;
                        per_minute?: number;
                        dry_run?: boolean;
                        token?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            bulk_id: string;
                            state?: string;
                            matched?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/{wait_id}": {
        parameters: {
        };
        /** A wait. */
        get: {
            parameters: {
                path: {
                    wait_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            account_id?: string;
                            workflow_id?: string;
                            execution_id: string;
                            contact_id?: string | null;
                            step_id: string;
                            occurrence: number;
                            /** @enum {unknown} */
                            source?: "api" | "graph" | "flow";
                            /** @enum {unknown} */
                            wait_type: "fixed_time" | "until_date" | "until_time" | "for_event";
                            config?: unknown;
                            /** @enum {unknown} */
                            status: "scheduled" | "waiting" | "resumed" | "timeout" | "cancelled" | "error";
                            scheduled_at?: string | null;
                            event_timeout_at?: string | null;
                            due_at: string;
                            on_hold?: boolean;
                            hold_reason?: string | null;
                            parked: boolean;
                            listeners?: unknown[];
                            resumed_at?: string | null;
                            ended_at?: string | null;
                            resumed_by?: string | null;
                            overdue_s?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/{wait_id}/resume": {
        parameters: {
        };
        /** Let a wait go on now. */
        post: {
            parameters: {
                path: {
                    wait_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                        output?: unknown;
                        branch?: string;
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            account_id?: string;
                            workflow_id?: string;
                            execution_id: string;
                            contact_id?: string | null;
                            step_id: string;
                            occurrence: number;
                            /** @enum {unknown} */
                            source?: "api" | "graph" | "flow";
                            /** @enum {unknown} */
                            wait_type: "fixed_time" | "until_date" | "until_time" | "for_event";
                            config?: unknown;
                            /** @enum {unknown} */
                            status: "scheduled" | "waiting" | "resumed" | "timeout" | "cancelled" | "error";
                            scheduled_at?: string | null;
                            event_timeout_at?: string | null;
                            due_at: string;
                            on_hold?: boolean;
                            hold_reason?: string | null;
                            parked: boolean;
                            listeners?: unknown[];
                            resumed_at?: string | null;
                            ended_at?: string | null;
                            resumed_by?: string | null;
                            overdue_s?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/{wait_id}/skip": {
        parameters: {
        };
        /** The same as resume. */
        post: {
            parameters: {
                path: {
                    wait_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                        output?: unknown;
                        branch?: string;
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            account_id?: string;
                            workflow_id?: string;
                            execution_id: string;
                            contact_id?: string | null;
                            step_id: string;
                            occurrence: number;
                            /** @enum {unknown} */
                            source?: "api" | "graph" | "flow";
                            /** @enum {unknown} */
                            wait_type: "fixed_time" | "until_date" | "until_time" | "for_event";
                            config?: unknown;
                            /** @enum {unknown} */
                            status: "scheduled" | "waiting" | "resumed" | "timeout" | "cancelled" | "error";
                            scheduled_at?: string | null;
                            event_timeout_at?: string | null;
                            due_at: string;
                            on_hold?: boolean;
                            hold_reason?: string | null;
                            parked: boolean;
                            listeners?: unknown[];
                            resumed_at?: string | null;
                            ended_at?: string | null;
                            resumed_by?: string | null;
                            overdue_s?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/{wait_id}/cancel": {
        parameters: {
        };
        /** End a wait; its token stays parked. */
        post: {
            parameters: {
                path: {
                    wait_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            success: boolean;
                            id?: string;
                            status?: string;
                            cancelled?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/executions/{execution_id}/wait/{step_id}": {
        parameters: {
        };
        /** The wait at a step of an execution. */
        get: {
            parameters: {
                query?: {
                    occurrence?: string;
                };
                path: {
                    execution_id: string;
                    step_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            account_id?: string;
                            workflow_id?: string;
                            execution_id: string;
                            contact_id?: string | null;
                            step_id: string;
                            occurrence: number;
                            /** @enum {unknown} */
                            source?: "api" | "graph" | "flow";
                            /** @enum {unknown} */
                            wait_type: "fixed_time" | "until_date" | "until_time" | "for_event";
                            config?: unknown;
                            /** @enum {unknown} */
                            status: "scheduled" | "waiting" | "resumed" | "timeout" | "cancelled" | "error";
                            scheduled_at?: string | null;
                            event_timeout_at?: string | null;
                            due_at: string;
                            on_hold?: boolean;
                            hold_reason?: string | null;
                            parked: boolean;
                            listeners?: unknown[];
                            resumed_at?: string | null;
                            ended_at?: string | null;
                            resumed_by?: string | null;
                            overdue_s?: number;
                        };
                    };
                };
            };
        };
        /** End a wait; its token stays parked. */
        delete: {
            parameters: {
                query?: {
                    occurrence?: string;
                    reason?: string;
                };
                path: {
                    execution_id: string;
                    step_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            success: boolean;
                            id?: string;
                            status?: string;
                            cancelled?: number;
                        };
                    };
                };
            };
        };
        /** Give a pending wait another instant. */
        patch: {
            parameters: {
                path: {
                    execution_id: string;
                    step_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        config?: object;
                        /** @enum {unknown} */
                        from?: "start" | "now";
                        occurrence?: number | "all";
                        wait_type?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            account_id?: string;
                            workflow_id?: string;
                            execution_id: string;
                            contact_id?: string | null;
                            step_id: string;
                            occurrence: number;
                            /** @enum {unknown} */
                            source?: "api" | "graph" | "flow";
                            /** @enum {unknown} */
                            wait_type: "fixed_time" | "until_date" | "until_time" | "for_event";
                            config?: unknown;
                            /** @enum {unknown} */
                            status: "scheduled" | "waiting" | "resumed" | "timeout" | "cancelled" | "error";
                            scheduled_at?: string | null;
                            event_timeout_at?: string | null;
                            due_at: string;
                            on_hold?: boolean;
                            hold_reason?: string | null;
                            parked: boolean;
                            listeners?: unknown[];
                            resumed_at?: string | null;
                            ended_at?: string | null;
                            resumed_by?: string | null;
                            overdue_s?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/executions/{execution_id}/wait/{step_id}/resume": {
        parameters: {
        };
        /** Let a wait go on now. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                    step_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        occurrence?: number | "all";
                        reason?: string;
                        output?: unknown;
                        branch?: string;
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            account_id?: string;
                            workflow_id?: string;
                            execution_id: string;
                            contact_id?: string | null;
                            step_id: string;
                            occurrence: number;
                            /** @enum {unknown} */
                            source?: "api" | "graph" | "flow";
                            /** @enum {unknown} */
                            wait_type: "fixed_time" | "until_date" | "until_time" | "for_event";
                            config?: unknown;
                            /** @enum {unknown} */
                            status: "scheduled" | "waiting" | "resumed" | "timeout" | "cancelled" | "error";
                            scheduled_at?: string | null;
                            event_timeout_at?: string | null;
                            due_at: string;
                            on_hold?: boolean;
                            hold_reason?: string | null;
                            parked: boolean;
                            listeners?: unknown[];
                            resumed_at?: string | null;
                            ended_at?: string | null;
                            resumed_by?: string | null;
                            overdue_s?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/executions/{execution_id}/wait/{step_id}/skip": {
        parameters: {
        };
        /** The same as resume. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                    step_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        occurrence?: number | "all";
                        reason?: string;
                        output?: unknown;
                        branch?: string;
                        dry_run?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            account_id?: string;
                            workflow_id?: string;
                            execution_id: string;
                            contact_id?: string | null;
                            step_id: string;
                            occurrence: number;
                            /** @enum {unknown} */
                            source?: "api" | "graph" | "flow";
                            /** @enum {unknown} */
                            wait_type: "fixed_time" | "until_date" | "until_time" | "for_event";
                            config?: unknown;
                            /** @enum {unknown} */
                            status: "scheduled" | "waiting" | "resumed" | "timeout" | "cancelled" | "error";
                            scheduled_at?: string | null;
                            event_timeout_at?: string | null;
                            due_at: string;
                            on_hold?: boolean;
                            hold_reason?: string | null;
                            parked: boolean;
                            listeners?: unknown[];
                            resumed_at?: string | null;
                            ended_at?: string | null;
                            resumed_by?: string | null;
                            overdue_s?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/approvals": {
        parameters: {
        };
        /** Questions to people, newest first. */
        get: {
            parameters: {
                query?: {
                    status?: string;
                    kind?: string;
                    workflow_id?: string;
                    execution_id?: string;
                    q?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/approvals/bulk": {
        parameters: {
        };
        /** Reject a selection of approvals, or show what would happen. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        action?: "reject";
                        filter?: object;
                        ids?: string[];
                        all?: boolean;
                        reason?: string;
                        per_second?: number;
                        per_minute?: number;
                        dry_run?: boolean;
                        token?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            bulk_id: string;
                            state?: string;
                            matched?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/approvals/{approval_id}": {
        parameters: {
        };
        /** An approval. */
        get: {
            parameters: {
                path: {
                    approval_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            /** @enum {unknown} */
                            kind: "run" | "job";
                            /** @enum {unknown} */
                            status: "pending" | "approved" | "rejected" | "expired" | "withdrawn";
                            title: string;
                            message?: string | null;
                            payload?: unknown;
                            hash: string;
                            approvers: string[];
                            workflow_id?: string;
                            execution_id?: string;
                            contact_id?: string | null;
                            step_id?: string;
                            /** @enum {unknown} */
                            source?: "graph" | "flow";
                            started_by?: string | null;
                            unblocks?: unknown;
                            asked_at: string;
                            expires_at?: string | null;
                            time_left_ms?: number | null;
                            on_timeout?: string | null;
                            ended_at?: string | null;
                            by?: string | null;
                            comment?: string | null;
                            ended_reason?: string | null;
                            updated_at?: string;
                            job_id?: string;
                            topic?: string;
                            count?: number;
                            votes?: unknown[];
                            submitter?: string;
                            rule_id?: string;
                            constraints?: unknown;
                            compensation?: object;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/approvals/{approval_id}/approve": {
        parameters: {
        };
        /** Say yes to exactly what the hash stands for. */
        post: {
            parameters: {
                path: {
                    approval_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        hash: string;
                        reason?: string;
                        note?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            /** @enum {unknown} */
                            kind: "run" | "job";
                            /** @enum {unknown} */
                            status: "pending" | "approved" | "rejected" | "expired" | "withdrawn";
                            title: string;
                            message?: string | null;
                            payload?: unknown;
                            hash: string;
                            approvers: string[];
                            workflow_id?: string;
                            execution_id?: string;
                            contact_id?: string | null;
                            step_id?: string;
                            /** @enum {unknown} */
                            source?: "graph" | "flow";
                            started_by?: string | null;
                            unblocks?: unknown;
                            asked_at: string;
                            expires_at?: string | null;
                            time_left_ms?: number | null;
                            on_timeout?: string | null;
                            ended_at?: string | null;
                            by?: string | null;
                            comment?: string | null;
                            ended_reason?: string | null;
                            updated_at?: string;
                            job_id?: string;
                            topic?: string;
                            count?: number;
                            votes?: unknown[];
                            submitter?: string;
                            rule_id?: string;
                            constraints?: unknown;
                            compensation?: object;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/approvals/{approval_id}/reject": {
        parameters: {
        };
        /** Say no, and why. */
        post: {
            parameters: {
                path: {
                    approval_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        hash: string;
                        reason: string;
                        note?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            /** @enum {unknown} */
                            kind: "run" | "job";
                            /** @enum {unknown} */
                            status: "pending" | "approved" | "rejected" | "expired" | "withdrawn";
                            title: string;
                            message?: string | null;
                            payload?: unknown;
                            hash: string;
                            approvers: string[];
                            workflow_id?: string;
                            execution_id?: string;
                            contact_id?: string | null;
                            step_id?: string;
                            /** @enum {unknown} */
                            source?: "graph" | "flow";
                            started_by?: string | null;
                            unblocks?: unknown;
                            asked_at: string;
                            expires_at?: string | null;
                            time_left_ms?: number | null;
                            on_timeout?: string | null;
                            ended_at?: string | null;
                            by?: string | null;
                            comment?: string | null;
                            ended_reason?: string | null;
                            updated_at?: string;
                            job_id?: string;
                            topic?: string;
                            count?: number;
                            votes?: unknown[];
                            submitter?: string;
                            rule_id?: string;
                            constraints?: unknown;
                            compensation?: object;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/sagas": {
        parameters: {
        };
        /** Executions with something to undo, newest first. */
        get: {
            parameters: {
                query?: {
                    status?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/saga": {
        parameters: {
        };
        /** What an execution has done that can be undone, last first. */
        get: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            execution_id: string;
                            workflow_id?: string;
                            /** @enum {unknown} */
                            status: "none" | "open" | "rolling_back" | "parked" | "rolled_back" | "closed";
                            /** @enum {unknown} */
                            trigger?: "failed_fatal" | "rollback" | "on_failure" | "cancel";
                            by?: string;
                            entries: object[];
                            stopping?: unknown[];
                            open_jobs?: unknown[];
                            undone_by?: string;
                            started_at?: string | null;
                            ended_at?: string | null;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/rollback": {
        parameters: {
        };
        /** Undo what an execution has done; of an ended one by an execution of its own. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/saga/close": {
        parameters: {
        };
        /** End a saga of jobs outside an execution well. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            workflow_id?: string;
                            version?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/saga/{seq}/retry": {
        parameters: {
        };
        /** Try once more to undo a parked entry. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                    seq: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            execution_id: string;
                            workflow_id?: string;
                            /** @enum {unknown} */
                            status: "none" | "open" | "rolling_back" | "parked" | "rolled_back" | "closed";
                            /** @enum {unknown} */
                            trigger?: "failed_fatal" | "rollback" | "on_failure" | "cancel";
                            by?: string;
                            entries: object[];
                            stopping?: unknown[];
                            open_jobs?: unknown[];
                            undone_by?: string;
                            started_at?: string | null;
                            ended_at?: string | null;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/saga/{seq}/skip": {
        parameters: {
        };
        /** Leave a parked entry as it is and go on with the older ones. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                    seq: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            execution_id: string;
                            workflow_id?: string;
                            /** @enum {unknown} */
                            status: "none" | "open" | "rolling_back" | "parked" | "rolled_back" | "closed";
                            /** @enum {unknown} */
                            trigger?: "failed_fatal" | "rollback" | "on_failure" | "cancel";
                            by?: string;
                            entries: object[];
                            stopping?: unknown[];
                            open_jobs?: unknown[];
                            undone_by?: string;
                            started_at?: string | null;
                            ended_at?: string | null;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/events": {
        parameters: {
        };
        /** Events that are kept, newest first, with what each reached. */
        get: {
            parameters: {
                query?: {
                    event_type?: string;
                    contact_id?: string;
                    from?: string;
                    to?: string;
                    matched?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
        /** Tell what has happened; waits that listen to it go on. */
        post: {
            parameters: {
                query?: {
                    wait?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        event_id?: string;
                        event_type?: string;
                        contact_id?: string;
                        phone?: string;
                        email?: string;
                        execution_id?: string;
                        correlation_id?: string;
                        /** Format: date-time */
                        timestamp?: string;
                        account_id?: string;
                        data?: object;
                        events?: object[];
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            event_id?: string;
                            /** @enum {unknown} */
                            status?: "accepted" | "duplicate";
                            received_at?: string;
                            contact_id?: string | null;
                            matched?: {
                                goals?: unknown[];
                                waits?: unknown[];
                                triggers?: unknown[];
                            };
                            matched_total?: number;
                            pending?: number;
                            ignored?: unknown[];
                            warnings?: unknown[];
                            results?: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/events/{event_id}": {
        parameters: {
        };
        /** An event and what it reached. */
        get: {
            parameters: {
                path: {
                    event_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            event_id: string;
                            event_type: string;
                            contact_id?: string | null;
                            execution_id?: string | null;
                            correlation_id?: string | null;
                            timestamp?: string | null;
                            received_at: string;
                            expires_at?: string;
                            data?: unknown;
                            matched: object;
                            matched_total?: number;
                            ignored?: unknown[];
                            warnings?: unknown[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/waits/listeners": {
        parameters: {
        };
        /** What waits listen to at present, with age. */
        get: {
            parameters: {
                query?: {
                    event_type?: string;
                    contact_id?: string;
                    execution_id?: string;
                    workflow_id?: string;
                    step_id?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/executions/{execution_id}/wait": {
        parameters: {
        };
        /** Open a wait; with `register` also its workflow and execution. */
        post: {
            parameters: {
                path: {
                    workflow_id: string;
                    execution_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        step_id: string;
                        /** @enum {unknown} */
                        wait_type: "fixed_time" | "until_date" | "until_time" | "for_event";
                        config?: object;
                        contact_id?: string;
                        callback?: {
                            url: string;
                            credentials?: object;
                        };
                        metadata?: object;
                        register?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            status: string;
                            scheduled_at: string | null;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/executions/{execution_id}": {
        parameters: {
        };
        /** Register an execution that another engine runs. */
        put: {
            parameters: {
                path: {
                    workflow_id: string;
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        contact_id?: string;
                        labels?: object;
                        callback?: object;
                        metadata?: object;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/complete": {
        parameters: {
        };
        /** End an execution that another engine runs. */
        post: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        output?: unknown;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/callbacks": {
        parameters: {
        };
        /** Callbacks with their attempts, newest first. */
        get: {
            parameters: {
                query?: {
                    state?: string;
                    execution_id?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/callbacks/{delivery_id}/redeliver": {
        parameters: {
        };
        /** Send a callback again that was given up. */
        post: {
            parameters: {
                path: {
                    delivery_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description Done. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            delivery_id: string;
                            type: string;
                            /** @enum {unknown} */
                            state: "pending" | "done" | "gone" | "dead";
                        };
                    };
                };
            };
        };
    };
    "/api/v1/search": {
        parameters: {
        };
        /** Things by id, or by a part of their name. */
        get: {
            parameters: {
                query?: {
                    q?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                /** @enum {unknown} */
                                kind: "execution" | "job" | "wait" | "schedule" | "workflow" | "contact";
                                id: string;
                                name?: string;
                                status?: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/calendar": {
        parameters: {
        };
        /** All that will fire, in each hour or day to come. */
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                    bucket?: string;
                    zone?: string;
                    kinds?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            zone: string;
                            truncated: boolean;
                            buckets: object[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/stats": {
        parameters: {
        };
        /** How many executions a filter selects, by one of their fields. */
        get: {
            parameters: {
                query?: {
                    group_by?: string;
                    status?: string;
                    workflow_id?: string;
                    label?: string;
                    contact_id?: string;
                    parent?: string;
                    from?: string;
                    to?: string;
                    q?: string;
                    version?: string;
                    error_code?: string;
                    node?: string;
                    wait_kind?: string;
                    retrying?: string;
                    attention?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            group_by: string;
                            groups: unknown[];
                            counted: number;
                            more: boolean;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/state": {
        parameters: {
        };
        /** An execution and its values as they were after an event. */
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": object;
                    };
                };
            };
        };
    };
    "/api/v1/executions/{execution_id}/tree": {
        parameters: {
        };
        /** An execution among those that started it and that it started. */
        get: {
            parameters: {
                path: {
                    execution_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            execution_id: string;
                            root: object;
                            count: number;
                            truncated: boolean;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/diff": {
        parameters: {
        };
        /** What is not the same in two versions, by node, by edge and by line. */
        get: {
            parameters: {
                query?: {
                    from?: string;
                    to?: string;
                };
                path: {
                    workflow_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            from: object;
                            to: object;
                            same: boolean;
                            nodes: object;
                            edges: object;
                            fields: unknown[];
                            lines: {
                                /** @enum {unknown} */
                                op: "=" | "-" | "+";
                                from: number | null;
                                to: number | null;
                                text: string;
                            }[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/load": {
        parameters: {
        };
        /** Live executions by version, where they wait, and how the nodes did. */
        get: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            versions: unknown[];
                            waiting: object;
                            at?: object;
                            counted: number;
                            more: boolean;
                            measured_since?: string;
                            measures?: object;
                            nodes?: object;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/cluster": {
        parameters: {
        };
        /** The servers on this store: who leads, versions, clocks, settings that differ. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            shared: boolean;
                            items: {
                                id: string;
                                name: string;
                                /** @enum {unknown} */
                                role: "leader" | "follower";
                                version: string;
                                formats?: string;
                                settings?: string;
                                settings_differ?: boolean;
                                clock_skew_ms?: number | null;
                                started_at?: string;
                                seen_at?: string;
                                alive: boolean;
                                leads?: boolean;
                            }[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/system": {
        parameters: {
        };
        /** What the server is, where things are kept, and where each setting came from. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            version: string;
                            store: object;
                            lateness: object;
                            configuration: {
                                name: string;
                                value: string;
                                source: string;
                                secret?: boolean;
                            }[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/views": {
        parameters: {
        };
        /** Saved views: the caller's own and those that are shared. */
        get: {
            parameters: {
                query?: {
                    page?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
        /** Save a view of a list; sharing it needs the role operator. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        page?: string;
                        name?: string;
                        query?: {
                            [key: string]: string;
                        };
                        shared?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            page: string;
                            name: string;
                            query: object;
                            shared: boolean;
                            owner: string;
                            may_change?: boolean;
                            created_at?: string;
                            updated_at?: string;
                            revision?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/views/{view_id}": {
        parameters: {
        };
        /** A saved view. */
        get: {
            parameters: {
                path: {
                    view_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            page: string;
                            name: string;
                            query: object;
                            shared: boolean;
                            owner: string;
                            may_change?: boolean;
                            created_at?: string;
                            updated_at?: string;
                            revision?: number;
                        };
                    };
                };
            };
        };
        /** Change a saved view. */
        put: {
            parameters: {
                path: {
                    view_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        page?: string;
                        name?: string;
                        query?: {
                            [key: string]: string;
                        };
                        shared?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            page: string;
                            name: string;
                            query: object;
                            shared: boolean;
                            owner: string;
                            may_change?: boolean;
                            created_at?: string;
                            updated_at?: string;
                            revision?: number;
                        };
                    };
                };
            };
        };
        /** Remove a saved view. */
        delete: {
            parameters: {
                path: {
                    view_id: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/audit/verify": {
        parameters: {
        };
        /** Check that each line of the audit seals the one before it. */
        post: {
            parameters: {
            };
            requestBody?: {
                content: {
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            unbroken: boolean;
                            lines: number;
                            first: number;
                            last: number;
                            broken_at?: number | null;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/approve": {
        parameters: {
        };
        /** One person's yes to a job that awaits approval, by the hash of its request. */
        post: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        hash: string;
                        reason?: string;
                        note?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/reject": {
        parameters: {
        };
        /** One person's no; it ends the job. */
        post: {
            parameters: {
                path: {
                    job_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        hash: string;
                        reason?: string;
                        note?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy": {
        parameters: {
        };
        /** The policy in force, or an earlier one by its snapshot. */
        get: {
            parameters: {
                query?: {
                    snapshot?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/rules": {
        parameters: {
        };
        /** Rules with how often each has decided, never has, or cannot. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/versions": {
        parameters: {
        };
        /** Policies that came into force, newest first. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/policy/bundles": {
        parameters: {
        };
        /** The account's own documents. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/policy/decisions": {
        parameters: {
        };
        /** The decision log, newest first. */
        get: {
            parameters: {
                query?: {
                    job_id?: string;
                    topic?: string;
                    decision?: string;
                    rule_id?: string;
                    snapshot?: string;
                    from?: string;
                    to?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/jobs/{job_id}/decisions": {
        parameters: {
        };
        /** What policy has said of a job, newest first. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/policy/velocity": {
        parameters: {
        };
        /** Windows of velocity rules as they are now. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/breakers": {
        parameters: {
        };
        /** Circuit breakers before the policy kernel, with what changes them next. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/breakers/{name}/reset": {
        parameters: {
        };
        /** Close a breaker by hand: who waits is asked about at once. */
        post: {
            parameters: {
                path: {
                    name: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/validate": {
        parameters: {
        };
        /** Every mistake of a document, without storing it. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": object;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/simulate": {
        parameters: {
        };
        /** What policy would say of these facts; no window moves. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        facts: object;
                        candidate?: unknown;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/explain": {
        parameters: {
        };
        /** The same, with the first field of each rule that does not hold. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        facts: object;
                        candidate?: unknown;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/rehearse": {
        parameters: {
        };
        /** Judge past decisions by another policy. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        candidate: unknown;
                        from?: string;
                        to?: string;
                        filter?: object;
                        limit?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/bundles/{bundle_id}": {
        parameters: {
        };
        /** Make or replace a document of the account. */
        put: {
            parameters: {
                path: {
                    bundle_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": object;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        /** Remove a document of the account. */
        delete: {
            parameters: {
                path: {
                    bundle_id: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/policy/publish": {
        parameters: {
        };
        /** Replace all documents of the account at once. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        candidate: object;
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/rollback": {
        parameters: {
        };
        /** Put an earlier policy into force again. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        snapshot: string;
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/reload": {
        parameters: {
        };
        /** Load the policy file now. */
        post: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/base": {
        parameters: {
        };
        /** Replace the policy for all accounts, where no file gives it. */
        put: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": object;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/policy/invariants": {
        parameters: {
        };
        /** Replace the rules that nothing overrides. */
        put: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": object;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        /** Remove them. */
        delete: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/goals": {
        parameters: {
        };
        /** Events that complete the executions of the workflow. */
        get: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {unknown} */
                            mode?: "any" | "all";
                            goals: {
                                id: string;
                                event_type: string;
                                criteria?: object;
                            }[];
                        };
                    };
                };
            };
        };
        /** Say which events complete the executions of the workflow. */
        put: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {unknown} */
                        mode?: "any" | "all";
                        goals: {
                            id: string;
                            event_type: string;
                            criteria?: object;
                        }[];
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {unknown} */
                            mode?: "any" | "all";
                            goals: {
                                id: string;
                                event_type: string;
                                criteria?: object;
                            }[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/triggers": {
        parameters: {
        };
        /** Events that start the workflow. */
        get: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            event_type: string;
                            criteria?: object;
                            /** @enum {unknown} */
                            enrolment?: "single" | "multiple";
                        }[];
                    };
                };
            };
        };
        /** Say which events start the workflow. */
        put: {
            parameters: {
                path: {
                    workflow_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        event_type: string;
                        criteria?: object;
                        /** @enum {unknown} */
                        enrolment?: "single" | "multiple";
                    }[];
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            event_type: string;
                            criteria?: object;
                            /** @enum {unknown} */
                            enrolment?: "single" | "multiple";
                        }[];
                    };
                };
            };
        };
    };
    "/api/v1/settings": {
        parameters: {
        };
        /** The settings of the account. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            timezone?: string | null;
                            business_days?: string[];
                            holidays?: unknown[];
                            /** @enum {unknown} */
                            gap_policy?: "gap_end" | "shift";
                            limits?: object;
                            signals?: object;
                            waits?: object;
                            callbacks?: object;
                            alerts?: object;
                            audit?: object;
                            retention_days?: number;
                        };
                    };
                };
            };
        };
        /** Replace the settings of the account. */
        put: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        timezone?: string | null;
                        business_days?: string[];
                        holidays?: unknown[];
                        /** @enum {unknown} */
                        gap_policy?: "gap_end" | "shift";
                        limits?: object;
                        signals?: object;
                        waits?: object;
                        callbacks?: object;
                        alerts?: object;
                        audit?: object;
                        retention_days?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            timezone?: string | null;
                            business_days?: string[];
                            holidays?: unknown[];
                            /** @enum {unknown} */
                            gap_policy?: "gap_end" | "shift";
                            limits?: object;
                            signals?: object;
                            waits?: object;
                            callbacks?: object;
                            alerts?: object;
                            audit?: object;
                            retention_days?: number;
                        };
                    };
                };
            };
        };
        /** Change some settings of the account. */
        patch: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        timezone?: string | null;
                        business_days?: string[];
                        holidays?: unknown[];
                        /** @enum {unknown} */
                        gap_policy?: "gap_end" | "shift";
                        limits?: object;
                        signals?: object;
                        waits?: object;
                        callbacks?: object;
                        alerts?: object;
                        audit?: object;
                        retention_days?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            timezone?: string | null;
                            business_days?: string[];
                            holidays?: unknown[];
                            /** @enum {unknown} */
                            gap_policy?: "gap_end" | "shift";
                            limits?: object;
                            signals?: object;
                            waits?: object;
                            callbacks?: object;
                            alerts?: object;
                            audit?: object;
                            retention_days?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/accounts/{account_id}/settings": {
        parameters: {
        };
        /** The settings of an account. */
        get: {
            parameters: {
                path: {
                    account_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            timezone?: string | null;
                            business_days?: string[];
                            holidays?: unknown[];
                            /** @enum {unknown} */
                            gap_policy?: "gap_end" | "shift";
                            limits?: object;
                            signals?: object;
                            waits?: object;
                            callbacks?: object;
                            alerts?: object;
                            audit?: object;
                            retention_days?: number;
                        };
                    };
                };
            };
        };
        /** Make an account, or replace its settings. */
        put: {
            parameters: {
                path: {
                    account_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        timezone?: string | null;
                        business_days?: string[];
                        holidays?: unknown[];
                        /** @enum {unknown} */
                        gap_policy?: "gap_end" | "shift";
                        limits?: object;
                        signals?: object;
                        waits?: object;
                        callbacks?: object;
                        alerts?: object;
                        audit?: object;
                        retention_days?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            timezone?: string | null;
                            business_days?: string[];
                            holidays?: unknown[];
                            /** @enum {unknown} */
                            gap_policy?: "gap_end" | "shift";
                            limits?: object;
                            signals?: object;
                            waits?: object;
                            callbacks?: object;
                            alerts?: object;
                            audit?: object;
                            retention_days?: number;
                        };
                    };
                };
            };
        };
        /** Change some settings of an account. */
        patch: {
            parameters: {
                path: {
                    account_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        timezone?: string | null;
                        business_days?: string[];
                        holidays?: unknown[];
                        /** @enum {unknown} */
                        gap_policy?: "gap_end" | "shift";
                        limits?: object;
                        signals?: object;
                        waits?: object;
                        callbacks?: object;
                        alerts?: object;
                        audit?: object;
                        retention_days?: number;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            timezone?: string | null;
                            business_days?: string[];
                            holidays?: unknown[];
                            /** @enum {unknown} */
                            gap_policy?: "gap_end" | "shift";
                            limits?: object;
                            signals?: object;
                            waits?: object;
                            callbacks?: object;
                            alerts?: object;
                            audit?: object;
                            retention_days?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/contacts": {
        parameters: {
        };
        /** List contacts by id. */
        get: {
            parameters: {
                query?: {
                    phone?: string;
                    email?: string;
                    q?: string;
                    opted_out?: string;
                    limit?: string;
                    cursor?: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/contacts/{contact_id}": {
        parameters: {
        };
        /** A contact and what it waits for. */
        get: {
            parameters: {
                path: {
                    contact_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            contact_id: string;
                            opted_out: boolean;
                            pending_waits: number;
                            next?: object | null;
                            warnings: string[];
                        };
                    };
                };
            };
        };
        /** Make a contact or replace what is known of it. */
        put: {
            parameters: {
                path: {
                    contact_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        timezone?: string | null;
                        phone?: string | null;
                        email?: string | null;
                        fields?: object | null;
                        labels?: object | null;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            contact_id: string;
                            opted_out: boolean;
                            pending_waits: number;
                            next?: object | null;
                            warnings: string[];
                        };
                    };
                };
            };
        };
        /** Erase a contact; its executions end. */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                };
                path: {
                    contact_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            success: boolean;
                            waits_cancelled: number;
                            executions_cancelled: number;
                        };
                    };
                };
            };
        };
        /** Change some of what is known of a contact. */
        patch: {
            parameters: {
                path: {
                    contact_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        timezone?: string | null;
                        phone?: string | null;
                        email?: string | null;
                        fields?: object | null;
                        labels?: object | null;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            contact_id: string;
                            opted_out: boolean;
                            pending_waits: number;
                            next?: object | null;
                            warnings: string[];
                        };
                    };
                };
            };
        };
    };
    "/api/v1/contacts/{contact_id}/opt-out": {
        parameters: {
        };
        /** End the contact's executions and start no others for it. */
        post: {
            parameters: {
                path: {
                    contact_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        workflow_id?: string;
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            opted_out: boolean;
                            waits_cancelled: number;
                            executions_cancelled: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/contacts/{contact_id}/opt-in": {
        parameters: {
        };
        /** Let executions be started for the contact again. */
        post: {
            parameters: {
                path: {
                    contact_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        workflow_id?: string;
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            opted_out: boolean;
                            waits_cancelled: number;
                            executions_cancelled: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/workflows/{workflow_id}/contacts/{contact_id}": {
        parameters: {
        };
        /** End the contact's executions of a workflow. */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                };
                path: {
                    workflow_id: string;
                    contact_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            success: boolean;
                            waits_cancelled: number;
                            executions_cancelled: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/simulations": {
        parameters: {
        };
        /** Simulations since the server started, newest first. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
        /** Try a workflow in a world apart: nothing is called, stored or timed. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        workflow_id?: string;
                        version?: number;
                        definition?: object;
                        input?: unknown;
                        labels?: object;
                        contact_id?: string;
                        /** Format: date-time */
                        start_at?: string;
                        horizon_ms?: number;
                        seeds?: number;
                        first_seed?: number;
                        calls?: {
                            name: string;
                            latency_min_ms?: number;
                            latency_max_ms?: number;
                            failure?: number;
                            status?: number;
                            body?: unknown;
                        }[];
                        jobs?: {
                            name: string;
                            latency_min_ms?: number;
                            latency_max_ms?: number;
                            failure?: number;
                            output?: unknown;
                        }[];
                        signals?: {
                            name: string;
                            latency_min_ms?: number;
                            latency_max_ms?: number;
                            missing?: number;
                            payload?: unknown;
                        }[];
                        approvals?: {
                            latency_min_ms?: number;
                            latency_max_ms?: number;
                            reject?: number;
                        };
                        faults?: {
                            late_ms_max?: number;
                            restart?: number;
                            twice?: number;
                        };
                        promises?: (("ends" | "completes") | {
                            name: string;
                            condition: string;
                        })[];
                    };
                };
            };
            responses: {
                /** @description Done. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name?: string;
                            /** @enum {unknown} */
                            state: "waiting" | "running" | "done" | "stopped" | "failed";
                            workflow_id?: string | null;
                            version?: number | null;
                            seeds: number;
                            first_seed: number;
                            start_at: string;
                            horizon_ms: number;
                            problem?: string | null;
                            result?: object;
                            definition?: object;
                            request?: object;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/simulations/{simulation_id}": {
        parameters: {
        };
        /** A simulation and what it has come to. */
        get: {
            parameters: {
                path: {
                    simulation_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name?: string;
                            /** @enum {unknown} */
                            state: "waiting" | "running" | "done" | "stopped" | "failed";
                            workflow_id?: string | null;
                            version?: number | null;
                            seeds: number;
                            first_seed: number;
                            start_at: string;
                            horizon_ms: number;
                            problem?: string | null;
                            result?: object;
                            definition?: object;
                            request?: object;
                        };
                    };
                };
            };
        };
        /** Forget a simulation. */
        delete: {
            parameters: {
                path: {
                    simulation_id: string;
                };
            };
            responses: {
                /** @description Done. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
    };
    "/api/v1/simulations/{simulation_id}/stop": {
        parameters: {
        };
        /** End a simulation; what was counted stays. */
        post: {
            parameters: {
                path: {
                    simulation_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": unknown;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            name?: string;
                            /** @enum {unknown} */
                            state: "waiting" | "running" | "done" | "stopped" | "failed";
                            workflow_id?: string | null;
                            version?: number | null;
                            seeds: number;
                            first_seed: number;
                            start_at: string;
                            horizon_ms: number;
                            problem?: string | null;
                            result?: object;
                            definition?: object;
                            request?: object;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/simulations/{simulation_id}/seeds/{seed}": {
        parameters: {
        };
        /** One seed, lived again, as an execution. */
        get: {
            parameters: {
                path: {
                    simulation_id: string;
                    seed: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/simulations/{simulation_id}/seeds/{seed}/history": {
        parameters: {
        };
        /** The events of a seed. */
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    cursor?: string;
                    after?: string;
                };
                path: {
                    simulation_id: string;
                    seed: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: object[];
                            next_cursor: string | null;
                            total?: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/simulations/{simulation_id}/seeds/{seed}/nodes": {
        parameters: {
        };
        /** The nodes of a seed by status. */
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
                path: {
                    simulation_id: string;
                    seed: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/simulations/{simulation_id}/seeds/{seed}/nodes/{node_id}": {
        parameters: {
        };
        /** One node of a seed. */
        get: {
            parameters: {
                query?: {
                    at?: string;
                    item?: string;
                };
                path: {
                    simulation_id: string;
                    seed: string;
                    node_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/simulations/{simulation_id}/seeds/{seed}/nodes/{node_id}/items": {
        parameters: {
        };
        /** What became of a node of a seed, item by item. */
        get: {
            parameters: {
                query?: {
                    at?: string;
                    status?: string;
                    limit?: string;
                    cursor?: string;
                };
                path: {
                    simulation_id: string;
                    seed: string;
                    node_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/simulations/{simulation_id}/seeds/{seed}/state": {
        parameters: {
        };
        /** A seed and its values as they were after an event. */
        get: {
            parameters: {
                query?: {
                    at?: string;
                };
                path: {
                    simulation_id: string;
                    seed: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/wire/jobs/{job_id}/context": {
        parameters: {
        };
        /** The input of a job, for the worker it was dispatched to. */
        get: {
            parameters: {
                query?: {
                    token?: string;
                };
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
    };
    "/api/v1/wire/jobs/{job_id}/output": {
        parameters: {
        };
        /** The output of a job that has succeeded, for those who were told of it. */
        get: {
            parameters: {
                query?: {
                    token?: string;
                };
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        /** Put an output before the result that names it. */
        put: {
            parameters: {
                query?: {
                    token?: string;
                };
                path: {
                    job_id: string;
                };
            };
            responses: {
                /** @description Done. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            result_ptr: string;
                            sha256: string;
                            size: number;
                        };
                    };
                };
            };
        };
    };
    "/api/v1/system/promotion": {
        parameters: {
        };
        /** How far the move to another store has come. */
        get: {
            parameters: {
            };
            responses: {
                /** @description Done. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {unknown} */
                            state: "none" | "running" | "moved" | "failed";
                            store: string;
                            step?: string;
                            to?: string;
                            things?: number;
                            rounds?: number;
                            held_ms?: number;
                            code?: string;
                            message?: string;
                        };
                    };
                };
            };
        };
        /** Move the store to PostgreSQL and go on there. */
        post: {
            parameters: {
            };
            requestBody: {
                content: {
                    "application/json": {
                        to: string;
                        password_file?: string;
                    };
                };
            };
            responses: {
                /** @description Done. */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @enum {unknown} */
                            state: "none" | "running" | "moved" | "failed";
                            store: string;
                            step?: string;
                            to?: string;
                            things?: number;
                            rounds?: number;
                            held_ms?: number;
                            code?: string;
                            message?: string;
                        };
                    };
                };
            };
        };
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Problem: {
            type: string;
            title: string;
            status: number;
            detail?: string;
            instance?: string;
            code: string;
            hint?: string;
            errors?: {
                code?: string;
                path?: string;
                message?: string;
                line?: number;
                column?: number;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
