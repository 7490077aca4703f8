/** What a receiver was sent. */
export type Got = {
  readonly path: string
  readonly headers: Headers
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

type Answer = (got: Got) => Response | Promise<Response>

/** An HTTP receiver that answers as it is told, and remembers what it was sent. */
export class Receiver {
  readonly got: Got[] = []
  answer: Answer = () => new Response('ok')
  readonly #server = Bun.serve({
    port: 0,
    idleTimeout: 30,
    fetch: async (request) => {
      const text = await request.text()
      const got = { path: new URL(request.url).pathname, headers: request.headers, text, json: jsonOf(text) }
      this.got.push(got)
      return this.answer(got)
    },
  })

  get url(): string {
    return `http://localhost:${this.#server.port}`
  }

  /** What was sent since this was last called. */
  take(): Got[] {
    return this.got.splice(0)
  }

  async close(): Promise<void> {
    await this.#server.stop(true)
  }
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}
