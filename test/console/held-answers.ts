import type { Page } from 'playwright-core'

/** Holds the answers of the service to requests of a kind back until they are released. The service gets the requests at once. */
export async function heldAnswers(page: Page, url: RegExp, method: string) {
  let count = 0
  let isOver = false
  let held = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    count += 1
    if (isOver) return route.fallback()
    const response = await route.fetch()
    await held.promise
    await route.fulfill({ response })
  })
  return {
    /** The requests so far. */
    count: () => count,
    /** Gives the answers that wait; later ones wait again. */
    release(): void {
      held.resolve()
      held = Promise.withResolvers()
    },
    /** Gives all answers from now on. */
    end(): void {
      isOver = true
      held.resolve()
    },
  }
}
