import type { Page, Route } from 'playwright-core'

/** Long enough that a read is answered and painted before the next one. */
const TURN_MS = 100
/** What passes in any case: files, and the session. */
export const UNCHANGED = /\/ui\/|\/session(?:\/refresh)?$/
/** The same with the stream of events, whose end would change the live mark. */
export const UNCHANGED_WITH_EVENTS = /\/ui\/|\/session(?:\/refresh)?$|\/events$/

/** How the service answers reads. */
export type Mode = 'pass' | 'wait' | 503 | 403
const PROBLEMS = {
  503: { status: 503, code: 'unavailable', title: 'Unavailable', detail: 'The database does not answer.' },
  403: { status: 403, code: 'forbidden', title: 'Forbidden', detail: 'You need the right to read this.' },
} as const

/** The reads of a page, which wait, fail or pass. */
export class Reads {
  #mode: Mode = 'pass'
  #waiting: (() => void)[] = []
  #hasGap = false
  constructor(private readonly page: Page) {}

  async begin(unchanged: RegExp): Promise<void> {
    await this.page.route(
      (url) => !unchanged.test(url.pathname),
      (route) => this.#answer(route),
    )
  }
  set(mode: Mode): void {
    this.#mode = mode
    this.#hasGap = false
    for (const go of this.#waiting) go()
    this.#waiting = []
  }
  /** Answers what waits and what comes, one read after the other, each in a frame of its own. */
  async passInTurn(): Promise<void> {
    for (let go = this.#waiting.shift(); go; go = this.#waiting.shift()) {
      go()
      await Bun.sleep(TURN_MS)
    }
    this.set('pass')
  }
  /** Events may have been missed: the page reads again what it shows. Each stream reports it until the mode is set, since a page
   * gives up a stream when the jobs that it watches change. */
  gap(): void {
    this.#hasGap = true
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request()
    if (new URL(request.url()).pathname.endsWith('/events')) {
      const body = this.#hasGap ? 'event: gap\ndata: {}\n\n' : ': nothing yet\n\n'
      return route.fulfill({ contentType: 'text/event-stream', body })
    }
    const isRead = request.method() === 'GET' || /\/(?:data|select)$/.test(request.url())
    if (request.resourceType() !== 'fetch' || !isRead) return route.fallback()
    if (this.#mode === 'wait') await new Promise<void>((resolve) => this.#waiting.push(resolve))
    const mode = this.#mode
    if (mode === 'pass' || mode === 'wait') return route.fallback().catch(() => undefined)
    const headers = { 'x-request-id': 'request-of-the-test' }
    await route
      .fulfill({ status: mode, headers, contentType: 'application/problem+json', json: PROBLEMS[mode] })
      .catch(() => undefined)
  }
}
