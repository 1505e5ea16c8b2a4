// What can be done with the thing that is open, for the palette and the menu of actions (U-7, U-8).

export interface ThingAction {
  name: string;
  /** Why the state forbids it; empty when it may be done. */
  off?: string;
  act: () => void;
}

class OpenThing {
  actions = $state.raw<ThingAction[]>([]);

  /** To be returned from an effect: what the page offers as long as it is open. */
  offer(actions: ThingAction[]): () => void {
    this.actions = actions;
    return () => {
      if (this.actions === actions) this.actions = [];
    };
  }
}

export const openThing = new OpenThing();
