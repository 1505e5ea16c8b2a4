// Every text that people read, in English (U-64). Pages take their part of it, so that a browser loads the words
// of what it shows; whoever translates begins here.

export * as approvals from './approvals.ts';
export * as home from './home.ts';
export * as jobs from './jobs.ts';
export * as policy from './policy.ts';
export * as run from './run.ts';
export * as runs from './runs.ts';
export * as schedules from './schedules.ts';
export * as settings from './settings.ts';
export * as shell from './shell.ts';
export * as simulate from './simulate.ts';
export * as waits from './waits.ts';
export * as workflows from './workflows.ts';
