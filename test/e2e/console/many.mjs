// Very many runs, soon: a request is a few bytes, and of its answer only the status is looked at.

import { connect } from 'node:net';

const batch = 200;
const lanesMax = 4;
const mark = 'HTTP/1.1 ';

function startSome(server, workflow, many) {
  const { hostname, port } = new URL(server.url);
  const body = '{}';
  const request = `POST /api/v1/workflows/${workflow}/executions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return new Promise((ended, failed) => {
    const socket = connect(Number(port), hostname);
    let sent = 0;
    let answered = 0;
    let tail = '';
    const send = () => {
      const count = Math.min(batch, many - sent);
      sent += count;
      if (count) socket.write(request.repeat(count));
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

/** Starts `many` runs of a workflow, by a few connections at a time. */
export async function startMany(server, workflow, many) {
  const lanes = Math.min(lanesMax, many);
  const share = (lane) => Math.floor(many / lanes) + (lane < many % lanes ? 1 : 0);
  await Promise.all(Array.from({ length: lanes }, (_, lane) => startSome(server, workflow, share(lane))));
}
