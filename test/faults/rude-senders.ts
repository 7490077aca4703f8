import { connect } from 'node:net'

/**
 * Sends the same delivery over so many connections for a while, each as soon as the one before it was answered, and leaves
 * without waiting for the last answers. Prints how often each status came.
 *
 *   bun test/faults/rude-senders.ts <url of the job's values> <session id> <connections> <milliseconds>
 */
const [target = '', sessionId = '', connections = '', durationMs = ''] = process.argv.slice(2)
const url = new URL(target)
const body = JSON.stringify({ returnValue1: 12.5, errorCode: 0 })
const request = [
  `POST ${url.pathname} HTTP/1.1`,
  `Host: ${url.host}`,
  `X-Session-Id: ${sessionId}`,
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  '',
  body,
].join('\r\n')

const statuses: Record<string, number> = {}
for (let sender = 0; sender < Number(connections); sender++) {
  const socket = connect(Number(url.port), url.hostname, () => socket.write(request))
  socket.setNoDelay(true)
  socket.on('data', (answer) => {
    const status = /^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))?.[1]
    if (status === undefined) return
    statuses[status] = (statuses[status] ?? 0) + 1
    socket.write(request)
  })
}
setTimeout(() => {
  process.stdout.write(`${JSON.stringify(statuses)}\n`, () => process.exit(0))
}, Number(durationMs))
