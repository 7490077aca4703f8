import type { Page, Route } from 'playwright-core'

/** Longer than a screen is quiet before it counts as open: a part that waits for a read without a skeleton moves others then. */
const TURN_MS = 250
/** In which order reads that wait are answered. */
export const ORDERS = ['as asked', 'latest first'] as const
/** What passes in any case: files, and the session. */
export const UNCHANGED = /\/ui\/|\/session(?:\/refresh)?$/

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
  /** Answers what waits and what comes until the screen is open, one read after the other, each in a frame of its own. */
  async passInTurn(order: (typeof ORDERS)[number]): Promise<void> {
    const next = () => (order === 'as asked' ? this.#waiting.shift() : this.#waiting.pop())
    const isOpen = () => this.page.locator('main:not(.opening)').count()
    for (let go = next(); go !== undefined || (await isOpen()) === 0; go = next()) {
      go?.()
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
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('/events')) {
      const body = this.#hasGap ? 'event: gap\ndata: {}\n\n' : ': nothing yet\n\n'
      return route.fulfill({ contentType: 'text/event-stream', body })
    }
    const isRead = request.method() === 'GET' || /\/(?:data|select|cluster)$/.test(pathname)
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
