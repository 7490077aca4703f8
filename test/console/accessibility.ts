import { join } from 'node:path'

import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const SOURCE = Bun.file(join(import.meta.dir, '../../node_modules/axe-core/axe.min.js'))
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** While colours change from one theme to the other, axe finds too little contrast. */
const END_TRANSITIONS = `for (const one of document.getAnimations())
  if (one.effect?.getComputedTiming().endTime !== Infinity) one.finish()`

/** The faults that axe finds by WCAG 2.2 A and AA and by its best practices, each with the elements that have it. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(END_TRANSITIONS)
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  if (!isThere) await page.evaluate(await SOURCE.text())
  const { violations } = await page.evaluate(
    (tags) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
      }),
    TAGS,
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  )
}
