import { beforeAll, expect, test } from 'bun:test'

import { KEY_TABLE } from '../../../src/console/shell/key-table.ts'
import { makePlant } from '../plant.ts'
import { onMainHost } from '../stage.ts'

const PLANT_MAX_MS = 300_000
const TEST_MAX_MS = 180_000
/** Charts load late on a busy machine. */
const SLOW_MAX_MS = 60_000
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz')
/** Keys by their names in the table. */
const NAMED = [
  ['←', 'ArrowLeft'],
  ['→', 'ArrowRight'],
  ['↑', 'ArrowUp'],
  ['↓', 'ArrowDown'],
  ['PgUp', 'PageUp'],
  ['PgDn', 'PageDown'],
  ['Space', ' '],
  ['Home', 'Home'],
  ['End', 'End'],
  ['Enter', 'Enter'],
  ['+', '+'],
  ['-', '-'],
  ['*', '*'],
  ['/', '/'],
] as const
/** What a person can press; the letters come last, since some of them open another screen. */
const PRESSED: readonly { readonly name: string; readonly key: string; readonly shiftKey: boolean }[] = [
  ...NAMED.map(([name, key]) => ({ name, key, shiftKey: false })),
  ...LETTERS.map((key) => ({ name: key.toUpperCase(), key, shiftKey: false })),
  ...LETTERS.map((key) => ({ name: `Shift ${key.toUpperCase()}`, key: key.toUpperCase(), shiftKey: true })),
]
/** Where keys work: the place of the table, a screen, and the element that has the focus. */
const PLACES = [
  ['alarms', 'alarms', '.list[role=grid]'],
  ['tree', 'objects', '.tree'],
  ['chart', 'job/{job}?tab=values', 'figure.plot'],
  ['calendar', 'maintenance', '.cal td[tabindex="0"]'],
  ['calendar', 'maintenance?view=week', '.week td[tabindex="0"]'],
] as const

/** Presses all keys on an element, one after the other. Returns the names of those that it uses. */
const usedKeys = (selector: string) => `(() => {
  const target = document.querySelector('${selector}')
  target.focus()
  return ${JSON.stringify(PRESSED)}.filter(({ key, shiftKey }) => {
    const event = new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true })
    target.dispatchEvent(event)
    return event.defaultPrevented
  }).map(({ name }) => name)
})()`

/** The keys that the table names for a place. */
function listedFor(place: string): readonly string[] {
  return KEY_TABLE.filter((one) => one.place === place && !one.keys.startsWith('g ')).flatMap(({ keys }) => {
    if (keys === 'A–Z') return LETTERS.map((letter) => letter.toUpperCase())
    const [first = '', ...others] = keys.split(' ')
    if (first === 'Alt' || first === 'Ctrl') return []
    return first === 'Shift' ? others.map((key) => `Shift ${key}`) : [first, ...others]
  })
}

onMainHost('keys', (stage) => {
  let pathOf = (path: string): string => path
  beforeAll(async () => {
    pathOf = await makePlant(stage.client)
  }, PLANT_MAX_MS)

  for (const [place, path, selector] of PLACES)
    test(
      `the keys that work are those of the table: ${path}`,
      () =>
        stage.visit(pathOf(path), {}, async ({ page, expectProblem }) => {
          // Some keys open another page while this one reads.
          expectProblem(/status of 40[49]/)
          await page.locator(selector).first().waitFor({ timeout: SLOW_MAX_MS })
          const used = await page.evaluate<string[]>(usedKeys(selector))
          const known = [place, 'lists', 'everywhere'].flatMap(listedFor)
          // The tree jumps to capital letters as well.
          const free = place === 'tree' ? LETTERS.map((letter) => `Shift ${letter.toUpperCase()}`) : []
          expect(used.filter((key) => !known.includes(key) && !free.includes(key))).toEqual([])
          const own = listedFor(place).filter((key) => key !== 'Tab')
          expect(own.length).toBeGreaterThan(3)
          expect(own.filter((key) => !used.includes(key))).toEqual([])
        }),
      TEST_MAX_MS,
    )

  test(
    'the keys of all screens lead to where the page of keys says',
    () =>
      stage.visit('keys', {}, async ({ page }) => {
        await page.getByRole('heading', { level: 1 }).waitFor()
        for (const { keys, action } of KEY_TABLE.filter((one) => one.keys.startsWith('g '))) {
          await page.keyboard.press('?')
          await page.getByText('Everything works without a mouse.').waitFor()
          await page.keyboard.type(keys.replace(' ', ''))
          await page.waitForURL(`${stage.url}/ui/${action === 'overview' ? '' : action}`)
        }
        for (const key of ['/', 'Control+k']) {
          await page.keyboard.press(key)
          await page.getByRole('dialog').waitFor()
          await page.keyboard.press('Escape')
          await page.getByRole('dialog').waitFor({ state: 'detached' })
        }
      }),
    TEST_MAX_MS,
  )
})
