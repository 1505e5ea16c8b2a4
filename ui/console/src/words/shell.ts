// Words of the console: shell. Every text that people read stands in this folder (U-64).

export const api = {
  theServerAnswered: (a: unknown) => `The server answered ${a}`,
  theServerCannotBeReached: 'The server cannot be reached',
  nothingWasAnswered: 'Nothing was answered.',
  itMayBeStoppedOrStarting: 'It may be stopped or starting; this page tries again by itself.',
};

export const app = {
  thisPageCouldNotBeLoaded: 'This page could not be loaded. Fermata was probably updated.',
  reload: 'Reload',
  theServerCannotBeReached: 'The server cannot be reached',
  itMayBeStoppedOrStarting: 'It may be stopped or starting. This page tries again by itself.',
};

export const clockChip = {
  toNextDue: 'to next due',
  itIsDueNow: 'What is next is due already.',
  nothingIsDue: 'No wait goes on by itself.',
  thisServerRunsOnAClock: 'This server runs on a clock that is moved by hand.',
  virtual: 'Virtual',
  n1Day: '1 day',
};

export const connection = {
  live: 'Live',
  connecting: 'Connecting',
  reconnectingS: (a: unknown) => `Reconnecting (${a} s)`,
  offlineAsOf: (a: unknown) => `Offline, as of ${a}`,
};

export const dialog = {
  close: 'Close',
};

export const format = {
  kiB: (a: unknown) => `${a} KiB`,
  miB: (a: unknown) => `${a} MiB`,
  giB: (a: unknown) => `${a} GiB`,
};

export const copyAs = {
  copyAs: 'Copy as',
  copyActionAs: (a: unknown) => `Copy “${a}” as a command`,
  commandOf: 'Command of',
  copied: 'Copied.',
  selectItInstead: 'The browser does not let pages copy. Select the text instead.',
};

export const confirmDialog = {
  whyGoesToTheAudit: 'Why (goes to the audit)',
  leaveIt: 'Leave it',
  sending: 'Sending…',
};

export const id = {
  copied: 'Copied.',
  theBrowserDoesNotLetPages: (a: unknown) => `The browser does not let pages copy: ${a}`,
  copy: 'Copy',
};

export const jsonTree = {
  load: 'Load',
  more: 'more',
  less: 'less',
  allCharacters: (a: unknown) => `all ${a} characters`,
  null: 'null',
};

export const keys = {
  ctrlK: 'Ctrl K',
  searchOrGoToAnythingBy: 'search, or go to anything by its id',
  filterTheList: 'filter the list',
  nextAndPreviousRow: 'next and previous row',
  columnBeforeOrAfterOnABoard: 'column before or after, on a board',
  openTheRow: 'open the row',
  selectTheRow: 'select the row',
  lookAtTheRowBesideThe: 'look at the row beside the list',
  esc: 'Esc',
  timesRelativeThisBrowserTheAccount: 'times: relative, this browser, the account, UTC',
  fitTheGraph: 'fit the graph',
  oneEventBackOrOnIn: 'one event back or on, in time travel',
  previousOrNextWaitFailureOr: 'previous or next wait, failure or signal',
  approveRejectARequest: 'approve, reject a request',
  ctrlS: 'Ctrl S',
  saveADefinition: 'save a definition',
  nextFindingInADefinition: 'next finding in a definition',
  keyboardShortcuts: 'Keyboard shortcuts',
};

export const layouts = {
  onlyTheLayoutWorker: 'only the layout worker',
};

export const list = {
  limit: (a: unknown, b: unknown, c: unknown, d: unknown) => `${a}${b}limit=${c}${d}`,
};

export const notFound = {
  thereIsNoSuchPage: 'There is no such page',
  itMayHaveBeenRemovedOr: 'It may have been removed, or it belongs to another account.',
  home: 'Home',
  runs: 'Runs',
};

export const pages = {
  home: 'Home',
  runs: 'Runs',
  workflows: 'Workflows',
  waits: 'Waits',
  jobs: 'Jobs',
  approvals: 'Approvals',
  deadLetters: 'Dead letters',
  policy: 'Policy',
  workers: 'Workers',
  schedules: 'Schedules',
  simulate: 'Simulate',
  audit: 'Audit',
  settings: 'Settings',
};

export const palette = {
  contacts: 'Contacts',
  page: 'Page',
  seenBefore: 'seen before',
  action: 'Action',
  run: 'Run',
  job: 'Job',
  wait: 'Wait',
  schedule: 'Schedule',
  workflow: 'Workflow',
  contact: 'Contact',
  whatCanBeDoneHere: 'What can be done here',
  goTo: 'Go to',
  anAction: 'An action',
  anIdAWorkflowAContact: 'An id, a workflow, a contact, an error code, a page, an action',
  search: 'Search',
  found: 'Found',
  thereIsNothingToDoHere: 'There is nothing to do here.',
  nothingIsCalledThat: 'Nothing is called that.',
};

export const problemBox = {
  retryInS: (a: unknown) => `Retry in ${a} s`,
  retry: 'Retry',
};

export const rail = {
  overdue: 'overdue',
  open: 'open',
  toDecide: 'to decide',
  pages: 'Pages',
  fermataHome: 'Fermata, home',
  fermata: 'Fermata',
  more: 'More',
  unfoldTheRail: 'Unfold the rail',
  foldTheRail: 'Fold the rail',
  fold: 'Fold',
};

export const resource = {
  thisPartOfThePageFailed: 'This part of the page failed',
  reloadThePage: 'Reload the page.',
};

export const shell = {
  theServersClock: 'The time by the server',
  contacts: 'Contacts',
  bulkOperations: 'Bulk operations',
  skipToTheContent: 'Skip to the content',
  whereYouAre: 'Where you are',
  searchOrGoTo: 'Search or go to',
  noKeyExistsSoEveryProgram: 'No key exists, so every program on this machine is root of this server.',
  localMode: 'Local mode',
  everyoneOnThisMachineIsRoot: 'everyone on this machine is root',
  insecureMode: 'Insecure mode',
  everyoneWhoReachesThisAddressIs: 'everyone who reaches this address is root',
  signOut: 'Sign out',
  theme: 'Theme:',
  keyboardShortcuts: 'Keyboard shortcuts',
  fermataWasUpdated: 'Fermata was updated.',
  reloadNow: 'Reload now',
};

export const skeleton = {
  loading: 'Loading',
};

export const status = {
  running: 'Running',
  waiting: 'Waiting',
  paused: 'Paused',
  completed: 'Completed',
  done: 'Done',
  failed: 'Failed',
  timedOut: 'Timed out',
  cancelled: 'Cancelled',
  skipped: 'Skipped',
  retrying: 'Retrying',
  pending: 'Pending',
  needsApproval: 'Needs approval',
  scheduled: 'Scheduled',
  dispatched: 'Dispatched',
  succeeded: 'Succeeded',
  denied: 'Denied',
  quarantined: 'Quarantined',
  waitsForAnAnswer: 'Waits for an answer',
  approved: 'Approved',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
  allow: 'Allow',
  allowWithinLimits: 'Allow, within limits',
  askPeople: 'Ask people',
  slowDown: 'Slow down',
  deny: 'Deny',
  online: 'Online',
  awaited: 'Awaited',
  active: 'Active',
  draining: 'Draining',
  ageing: 'Ageing',
  lost: 'Lost',
  revoked: 'Revoked',
  closed: 'Closed',
  open: 'Open',
  halfOpen: 'Half open',
  redact: 'Redact',
  quarantine: 'Quarantine',
  overdue: 'Overdue',
  onHold: 'On hold',
  ended: 'Ended',
  started: 'Started',
  queued: 'Queued',
  refused: 'Refused',
  retried: 'Retried',
  dropped: 'Dropped',
  released: 'Released',
  handledByItsRun: 'Handled by its run',
  resumed: 'Resumed',
  optedOut: 'Opted out',
  expired: 'Expired',
  recorded: 'Recorded',
  toBeUndone: 'To be undone',
  beingUndone: 'Being undone',
  undone: 'Undone',
  undoStopped: 'Undo stopped',
  stopped: 'Stopped',
  notReached: 'Not reached',
};

export const tabs = {
  partsOfThisPage: 'Parts of this page',
};

export const time = {
  ms: (a: unknown) => `${a} ms`,
  ago: (a: unknown) => `${a} ago`,
  inWord: (a: unknown) => `in ${a}`,
};

export const toasts = {
  open: 'Open',
};

export const value = {
  showMoreThan: 'Show it: more than',
  copied: (a: unknown) => `Copied ${a}.`,
  copied2: (a: unknown) => `${a} copied.`,
  find: 'Find',
  tree: 'Tree',
  raw: 'Raw',
  copy: 'Copy',
  aNameOrAText: 'A name or a text',
  findIn: 'Find in',
  copyThePath: 'Copy the path',
  nothingHasThatInIt: 'Nothing has that in it.',
};
