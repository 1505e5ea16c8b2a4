// Workflows that the tests and the screenshots use: one of each thing that a page has to show.

const manual = { id: 'start', name: 'Start', type: 'manual', trigger: true };

/** A closed port: whoever calls it is refused at once. */
export const nowhere = 'http://127.0.0.1:9';

export const waits = {
  nodes: [manual, { id: 'wait', name: 'Wait 2 hours', type: 'wait', parameters: { amount: 2, unit: 'hours' } }, { id: 'end', name: 'Remind', type: 'log', parameters: { message: 'it is time' } }],
  edges: [{ id: '1', src: 'start', dst: 'wait' }, { id: '2', src: 'wait', dst: 'end' }],
};

export const fails = {
  nodes: [manual, { id: 'charge', name: 'Charge card', type: 'http', parameters: { url: `${nowhere}/charge`, method: 'POST', body: { amount: '$input.amount' } } }, { id: 'mail', name: 'Send receipt', type: 'log', parameters: { message: 'paid' } }],
  edges: [{ id: '1', src: 'start', dst: 'charge' }, { id: '2', src: 'charge', dst: 'mail' }],
};

export const retries = {
  ...fails,
  nodes: fails.nodes.map((node) => (node.id === 'charge' ? { ...node, retry: { max_attempts: 5, backoff_ms: 60_000 } } : node)),
};

export const branches = {
  nodes: [
    manual,
    { id: 'check', name: 'Large order', type: 'conditional', parameters: { expression: '{{ ($input.total ?? 0) > 1000 }}', true_edge_id: 'large', false_edge_id: 'small' } },
    { id: 'review', name: 'Review', type: 'log', parameters: { message: 'look' } },
    { id: 'charge', name: 'Ask for payment', type: 'wait_for_signal', parameters: { name: 'paid' } },
    { id: 'pick', name: 'Pick goods', type: 'log', parameters: { message: 'pick' } },
    { id: 'join', name: 'Both done', type: 'merge', parameters: { wait_mode: 'wait_for_all', timeout: 0 } },
    { id: 'ship', name: 'Ship', type: 'log', parameters: { message: 'ship' } },
  ],
  edges: [
    { id: 'to_check', src: 'start', dst: 'check' }, { id: 'large', src: 'check', dst: 'review' }, { id: 'small', src: 'check', dst: 'charge' },
    { id: 'to_pick', src: 'start', dst: 'pick' }, { id: 'reviewed', src: 'review', dst: 'charge' },
    { id: 'charged', src: 'charge', dst: 'join' }, { id: 'picked', src: 'pick', dst: 'join' }, { id: 'to_ship', src: 'join', dst: 'ship' },
  ],
};

/** Asks somebody before it pays. */
export const asks = {
  nodes: [
    manual,
    { id: 'ask', name: 'Ask the lead', type: 'approval', parameters: { title: 'Refund {{ $input.amount }}', message: 'The customer says that it never came.', payload: '$input', timeout_ms: 7_200_000, approve_edge_id: 'yes', reject_edge_id: 'no' } },
    { id: 'pay', name: 'Pay it back', type: 'log', parameters: { message: 'paid' } },
    { id: 'sorry', name: 'Say sorry', type: 'log', parameters: { message: 'no' } },
  ],
  edges: [{ id: '1', src: 'start', dst: 'ask' }, { id: 'yes', src: 'ask', dst: 'pay' }, { id: 'no', src: 'ask', dst: 'sorry' }],
};

/** Every kind of field that a form of inputs has. */
export const withSchema = {
  ...waits,
  input_schema: {
    type: 'object', required: ['name', 'seats'],
    properties: {
      name: { type: 'string', title: 'Name', description: 'Who the booking is for' }, seats: { type: 'integer', minimum: 1, maximum: 8, title: 'Seats' },
      price: { type: 'number', default: 12.5, title: 'Price' }, window: { type: 'boolean', title: 'At a window' }, meal: { enum: ['none', 'lunch', 'dinner'], default: 'none', title: 'Meal' },
      at: { type: 'string', format: 'date-time', title: 'When' }, extras: { type: 'array', title: 'Extras' }, guest: { type: 'object', title: 'Guest' },
    },
  },
};

export const policy = {
  version: 1, default_decision: 'allow',
  rules: [
    { id: 'ask-before-paying', match: { topics: ['job.pay.*'] }, decision: 'require_approval', reason: 'money leaves the house' },
    { id: 'never-wipe', match: { topics: ['job.wipe'] }, decision: 'deny', reason: 'no job deletes everything' },
  ],
};

/** A split in which one item fails and the first few wait. */
export function split(failing = 17, waiting = 12) {
  return {
    nodes: [
      manual,
      { id: 'each', name: 'Each contact', type: 'split', parameters: { input_array: '$input.contacts', on_item_error: 'collect' } },
      { id: 'kind', name: 'Needs a pause', type: 'conditional', parameters: { expression: `{{ $item.number < ${waiting} }}`, true_edge_id: 'slow', false_edge_id: 'quick' } },
      { id: 'pause', name: 'Quiet hours', type: 'wait', parameters: { amount: 9, unit: 'hours' } },
      { id: 'score', name: 'Score', type: 'code', parameters: { source: `if ($item.number == ${failing}) { throw new Error("no address for contact ${failing}") }\nreturn { score: $item.number * 2 }` } },
      { id: 'all', name: 'All contacts', type: 'aggregator' },
      { id: 'report', name: 'Report', type: 'log', parameters: { message: 'sent' } },
    ],
    edges: [
      { id: 'to_each', src: 'start', dst: 'each' }, { id: 'to_kind', src: 'each', dst: 'kind' }, { id: 'slow', src: 'kind', dst: 'pause' }, { id: 'quick', src: 'kind', dst: 'score' },
      { id: 'rested', src: 'pause', dst: 'all' }, { id: 'scored', src: 'score', dst: 'all' }, { id: 'to_report', src: 'all', dst: 'report' },
    ],
  };
}

export function contacts(many) {
  return Array.from({ length: many }, (_, number) => ({ number, name: `Contact ${number}` }));
}

export const script = 'workflow fan(inputs) {\n  Log.info("three at once")\n  const all = await Task.all({\n    a: Task.run("job.one", {}),\n    b: Task.run("job.two", {}),\n    c: Task.run("job.three", {})\n  })\n  await Task.delay("1h")\n  return all\n}\n';

/**
 * Makes jobs and fails them as a worker would, so many of a topic with an error's code; the last
 * try of each leaves a dead letter.
 */
export async function deadLetters(server, kinds) {
  const topics = kinds.map(([topic]) => topic);
  for (const [topic, , many] of kinds)
    for (let i = 0; i < many; i++) await server.post('/jobs', { topic, input: { number: i }, retry: { max_attempts: 1 } });
  const { registration_id } = await server.post('/worker/register', { worker_id: 'fails-1', topics, max_parallel: 50 });
  let left = kinds.reduce((sum, [, , many]) => sum + many, 0);
  for (let seq = 1; left > 0 && seq < 50; seq++) {
    const { jobs } = await server.post('/worker/claim', { registration_id, seq, slots: 50, wait_ms: 1000 });
    if (!jobs.length) continue;
    const results = jobs.map((job) => ({
      job_id: job.job_id, attempt: job.attempt, fence: job.fence, status: 'failed_fatal',
      error: { code: kinds.find(([topic]) => topic === job.topic)[1], message: `${job.topic} cannot be done` },
    }));
    await server.post('/worker/results', { registration_id, results });
    left -= jobs.length;
  }
  await server.ask('DELETE', `/worker/registrations/${registration_id}`);
}

/** Something on every page. */
export async function fill(server) {
  await server.put('/workflows/reminder', waits);
  await server.put('/workflows/checkout', fails);
  await server.put('/workflows/dunning', retries);
  await server.put('/workflows/order', branches);
  await server.put('/workflows/campaign', split());
  await server.put('/workflows/campaign', { ...split(), result: '$All contacts.count' }).catch(() => {});
  await server.ask('PUT', '/workflows/fan', script, { headers: { 'Content-Type': 'text/x-flow' } });
  const out = {};
  for (let i = 0; i < 6; i++) out.waiting = await server.start('reminder', { labels: { team: i % 2 ? 'blue' : 'green' }, contact_id: `c-${i}` });
  for (let i = 0; i < 3; i++) out.failed = await server.start('checkout', { input: { amount: 40 + i }, labels: { shop: 'berlin' } });
  out.retrying = await server.start('dunning', { input: { amount: 12 } });
  out.merge = await server.start('order', { input: { total: 40 } });
  out.split = await server.start('campaign', { input: { contacts: contacts(200) } });
  out.script = await server.start('fan');
  out.paused = await server.start('reminder');
  await server.until(out.failed, 'failed');
  await server.post(`/executions/${out.paused}/pause`);
  out.job = (await server.post('/jobs', { topic: 'job.mail.send', input: { to: 'a@example.org' }, labels: { team: 'blue' } })).id;
  await server.post('/jobs', { topic: 'job.mail.send', input: {}, priority: 'batch' });
  await server.put('/policy/base', policy);
  await server.put('/workflows/refund', asks);
  await server.put('/workflows/booking', withSchema);
  await server.put('/contacts/c-1', { timezone: 'America/New_York', email: 'ada@example.org', phone: '+1 212 555 0100', fields: { tier: 'gold', renewal_date: '2027-03-15' }, labels: { team: 'blue' } });
  for (const amount of [900, 120]) out.asks = await server.start('refund', { input: { amount, order: 'A-17', reason: 'never came' }, contact_id: 'c-1' });
  out.denied = (await server.post('/jobs', { topic: 'job.wipe', input: {} })).id;
  out.stopped = (await server.post('/jobs', { topic: 'job.pay.rent', input: { amount: 1200, to: 'the landlord' } })).id;
  await server.post('/credentials', { id: 'stripe', name: 'stripe', type: 'token', values: { token: 'tok_hidden_value_5521' } });
  return out;
}
