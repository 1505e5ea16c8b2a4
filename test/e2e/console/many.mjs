// Very many runs, soon: a request is a few bytes, and of its answer only the status is looked at.

import { connect } from 'node:net';

const batch = 200;
const lanesMax = 4;
const mark = 'HTTP/1.1 ';

/** One request for each of the bodies. */
function startSome(server, workflow, bodies) {
  const { hostname, port } = new URL(server.url);
  const head = `POST /api/v1/workflows/${workflow}/executions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: `;
  const requestOf = (body) => `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const many = bodies.length;
  return new Promise((ended, failed) => {
    const socket = connect(Number(port), hostname);
    let sent = 0;
    let answered = 0;
    let tail = '';
    const send = () => {
      const next = bodies.slice(sent, sent + batch);
      sent += next.length;
      if (next.length) socket.write(next.map(requestOf).join(''));
    };
    socket.on('connect', send);
    socket.on('error', failed);
    socket.on('data', (data) => {
      const text = tail + data.toString('latin1');
      let from = 0;
      for (let at = text.indexOf(mark); at >= 0 && at + mark.length + 3 <= text.length; at = text.indexOf(mark, from)) {
        from = at + mark.length + 3;
        if (!text.startsWith('201', at + mark.length)) return failed(new Error(text.slice(at, at + 400)));
        answered += 1;
      }
      tail = text.slice(Math.max(from, text.length - mark.length - 2));
      if (answered >= many) {
        socket.end();
        ended();
      } else if (answered >= sent) send();
    });
  });
}

/** Starts `many` runs of a workflow, by a few connections at a time; `bodyOf` says what the one of a number is given. */
export async function startMany(server, workflow, many, bodyOf = () => ({})) {
  const lanes = Math.min(lanesMax, many);
  const bodies = Array.from({ length: lanes }, () => []);
  for (let i = 0; i < many; i++) bodies[i % lanes].push(JSON.stringify(bodyOf(i)));
  await Promise.all(bodies.map((some) => startSome(server, workflow, some)));
}
