import { connect } from 'node:net'

import { openListener } from '../../workers/deno/listener.ts'

// Drains a listener on Deno while a sender keeps the rest of its body, and prints a word after it.
const DRAIN_MS = 100
const begun = Promise.withResolvers<void>()
const listener = openListener({ host: '127.0.0.1', port: 0 }, async (request) => {
  begun.resolve()
  // The drain cuts the body off.
  return new Response(await request.text().catch(String))
})
connect(listener.port, '127.0.0.1').write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx')
await begun.promise
await listener.drain(DRAIN_MS)
process.stdout.write('drained')
process.exit(0)
