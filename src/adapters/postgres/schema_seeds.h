#pragma once

namespace fermata::postgres {

// What others may read with plain SQL (C-11, W-90): these views stay as they are whatever becomes
// of the tables behind them. JSON has no zero character in PostgreSQL: the sign for an unknown one
// stands in its place. What only the records of roots hold (arguments, results) is read by the API.
constexpr const char* seeds_schema = R"sql(
create view workflows as select id, account as account_id, active from workflow_records;

create view contacts as
  select account as account_id, id, timezone, phone, email, opted_out,
    replace(fields, '\u0000', '\ufffd')::jsonb as fields,
    replace(labels, '\u0000', '\ufffd')::jsonb as labels,
    to_timestamp(deleted_at / 1000.0) as deleted_at,
    to_timestamp(created_at / 1000.0) as created_at,
    to_timestamp(updated_at / 1000.0) as updated_at
  from contact_records;

create view workflow_executions as
  select id, account as account_id, workflow as workflow_id,
    (array['running', 'waiting', 'paused', 'completed', 'failed', 'cancelled', 'timed_out'])
      [status + 1] as status,
    to_timestamp(started_at / 1000.0) as started_at, updated_at
  from roots where kind = 0;

create view executions as
  select id, case kind when 0 then 'workflow' else 'task' end as type, workflow as target_name,
    null::text as queue,
    case when kind = 0 then
      (array['running', 'suspended', 'suspended', 'completed', 'failed', 'failed', 'failed'])
        [status + 1]
    else
      (array['pending', 'pending', 'pending', 'pending', 'running', 'running', 'pending',
             'completed', 'failed', 'failed', 'failed', 'failed', 'failed'])[status + 1]
    end as status,
    null::jsonb as args, null::jsonb as kwargs, null::int as priority, null::int as max_retries,
    nullif(parent, '') as parent_workflow_id, null::jsonb as result, null::jsonb as error,
    to_timestamp(started_at / 1000.0) as created_at,
    case when not open then updated_at end as completed_at
  from roots where kind in (0, 1);

create view workflow_wait_executions as
  select id, run as workflow_execution_id, workflow as workflow_id, contact_id, step as step_id,
    wait_type, replace(config, '\u0000', '\ufffd')::jsonb as wait_config,
    case when wait_type <> 'for_event' and due_at < 253402214400000
      then to_timestamp(due_at / 1000.0) end as scheduled_at,
    timezone, event_type, correlation_id as event_correlation_id,
    case when wait_type = 'for_event' and due_at < 253402214400000
      then to_timestamp(due_at / 1000.0) end as event_timeout_at,
    status,
    case when status in ('resumed', 'timeout') then to_timestamp(ended_at / 1000.0) end
      as resumed_at,
    resumed_by, to_timestamp(reached_at / 1000.0) as created_at,
    to_timestamp(updated_at / 1000.0) as updated_at, account as account_id, occurrence, source,
    case when due_at < 253402214400000 then to_timestamp(due_at / 1000.0) end as due_at,
    local_target, gap_policy, tzdata_version, hold_reason is not null as on_hold, hold_reason,
    parked, to_timestamp(reached_at / 1000.0) as reached_at,
    to_timestamp(ended_at / 1000.0) as ended_at, ended_reason, matched_event_id, retry_count,
    last_error, replace(metadata, '\u0000', '\ufffd')::jsonb as metadata
  from waits;

create view workflow_event_listeners as
  select w.id || '.' || l.ordinal as id, w.id as wait_execution_id,
    l.value ->> 'event_type' as event_type, l.value ->> 'correlation_id' as correlation_id,
    w.contact_id, w.run as workflow_execution_id, l.value -> 'criteria' as match_criteria,
    case when w.due_at < 253402214400000 then to_timestamp(w.due_at / 1000.0) end as expires_at,
    l.value ->> 'status' as status, (l.value ->> 'matched_at')::timestamptz as matched_at,
    l.value ->> 'matched_event_id' as matched_event_id,
    to_timestamp(w.reached_at / 1000.0) as created_at, w.account as account_id, w.occurrence,
    l.ordinal, l.value ->> 'scope' as scope,
    coalesce((l.value ->> 'window_start')::timestamptz, to_timestamp(w.reached_at / 1000.0))
      as window_start,
    l.value ->> 'phone' as phone
  from waits w cross join lateral
    jsonb_array_elements(replace(w.listeners, '\u0000', '\ufffd')::jsonb)
      with ordinality l(value, ordinal);

create view workflow_signals as
  select account as account_id, event_id, event_type, contact_id, run as execution_id,
    correlation_id, replace(data, '\u0000', '\ufffd')::jsonb as data,
    to_timestamp(occurred_at / 1000.0) as occurred_at,
    to_timestamp(received_at / 1000.0) as received_at,
    to_timestamp(expires_at / 1000.0) as expires_at
  from signals;

-- Pending waits that have an instant. Gone means fired or cancelled: the history says which.
create view timer_tasks as
  select id, to_timestamp(due_at / 1000.0) as fire_at, run as workflow_id, wait_type as timer_type,
    replace(metadata, '\u0000', '\ufffd')::jsonb as metadata,
    to_timestamp(reached_at / 1000.0) as created_at
  from waits
  where status in ('scheduled', 'waiting') and hold_reason is null and due_at < 253402214400000;
)sql";

}  // namespace fermata::postgres
