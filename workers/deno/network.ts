import * as http from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import * as https from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { openNetwork as openNetworkWith } from '../server/network.ts'
import type { FetchAt, NetworkOptions } from '../server/network.ts'

/** Answers that have no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** The network as Deno reaches it. */
export function openNetwork(options: NetworkOptions): ReturnType<typeof openNetworkWith> {
  return openNetworkWith(options, fetchAt)
}

/** By `node:https`: the `fetch` of Deno can neither connect to a given address nor name the server that it asks for. */
export const fetchAt: FetchAt = async (request, address) => {
  const { protocol, host, port, pathname, search } = new URL(request.url)
  const { request: open } = protocol === 'https:' ? https : http
  const sent = open({
    host: address,
    port,
    path: pathname + search,
    method: request.method,
    // TLS takes the name of the server, whose certificate it checks, from `host`. `node:https` decompresses no answer.
    headers: { ...Object.fromEntries(request.headers), host, 'accept-encoding': 'identity' },
    // A request for another name at this address must not get this connection.
    agent: false,
    signal: request.signal,
  })
  const answered = answerTo(sent)
  // A receiver may answer before it has read all of the body.
  const wrote = request.body ? pipeline(Readable.fromWeb(request.body), sent) : void sent.end()
  const [answer] = await Promise.race([
    answered.then((incoming) => [incoming] as const),
    Promise.all([answered, wrote]),
  ])
  return responseOf(answer)
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve)
    sent.on('error', reject)
  })
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = incoming
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  if (!WITHOUT_BODY.has(status)) return new Response(bodyOf(incoming), { status, headers })
  incoming.resume()
  return new Response(null, { status, headers })
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  return Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>
}
