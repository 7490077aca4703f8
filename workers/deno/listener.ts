import { setTimeout as sleep } from 'node:timers/promises'

import type { OpenListener } from '../server/listener.ts'

type Answer = Parameters<OpenListener>[1]

/** The key of a request's sender. An entry of a `WeakMap` for each request would take a fifth of the time of a delivery: V8
 * visits all entries whenever it collects garbage. */
const SENDER = Symbol('sender')

type Sent = Request & { [SENDER]?: Deno.ServeHandlerInfo }

const DRAIN_POLL_MS = 10

/** The number of requests without an answer. */
class Pending {
  count = 0
  readonly #answered = () => {
    this.count--
  }

  /** Counts a request until its answer. Returns the same promise, because a further promise would cost more than the count. */
  counted(answer: Response | Promise<Response>): Response | Promise<Response> {
    if (!(answer instanceof Promise)) return answer
    this.count++
    answer.then(this.#answered, this.#answered)
    return answer
  }
}

/** The code of the system for each class of errors. Deno sets no code on some errors. */
const CODES: Readonly<Record<string, string>> = {
  AddrInUse: 'EADDRINUSE',
  AddrNotAvailable: 'EADDRNOTAVAIL',
  PermissionDenied: 'EACCES',
}

/** Listens with `Deno.serve`. */
export const openListener: OpenListener = ({ host, port }, answer) => {
  let pending = new Pending()
  const http = serving(() =>
    Deno.serve({ hostname: host, port, onListen: () => undefined }, (request: Sent, sender) => {
      request[SENDER] = sender
      // Deno reads each field by a separate call until the first `has`, which reads all fields by one call.
      request.headers.has('host')
      return pending.counted(request.method === 'HEAD' ? answerHead(request, answer) : answer(request))
    }),
  )
  return {
    port: http.addr.port,
    peerOf: (request: Sent) => request[SENDER]?.remoteAddr.hostname ?? null,
    // Deno has no time limit for a request.
    keepOpen: () => undefined,
    async drain(maxMs) {
      const until = performance.now() + maxMs
      const begun = pending
      pending = new Pending()
      // `shutdown` cuts off the request bodies that Deno still reads.
      while (begun.count > 0 && performance.now() < until) await sleep(DRAIN_POLL_MS)
      // The end of the process ends the other connections.
      await Promise.race([http.shutdown(), sleep(Math.max(0, until - performance.now()))])
    },
  }
}

/** Answers HEAD. Deno adds `content-length: 0` to an answer without a body, although GET answers with a stream. */
async function answerHead(request: Request, answer: Answer): Promise<Response> {
  const response = await answer(request)
  if (response.headers.has('content-length') || response.body) return response
  return new Response(new ReadableStream({ start: (controller) => controller.close() }), response)
}

/** @throws {Error} with the `code` of the system */
function serving<Server>(serve: () => Server): Server {
  try {
    return serve()
  } catch (error) {
    const code = error instanceof Error ? CODES[error.name] : undefined
    throw code === undefined ? error : Object.assign(error as Error, { code })
  }
}
