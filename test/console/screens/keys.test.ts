import { beforeAll, expect, test } from 'bun:test'

import { KEY_TABLE } from '../../../src/console/shell/key-table.ts'
import { good } from '../../api/suite.ts'
import { definitionOf, makeThings } from '../boards.ts'
import { makeData, makePlant } from '../plant.ts'
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
  ['Delete', 'Delete'],
  ['/', '/'],
] as const
type Pressed = {
  readonly name: string
  readonly key: string
  readonly shiftKey?: boolean
  readonly altKey?: boolean
  readonly ctrlKey?: boolean
}
/** What a person can press; the letters come last, since some of them open another screen. */
const PRESSED: readonly Pressed[] = [
  ...NAMED.map(([name, key]) => ({ name, key })),
  ...LETTERS.map((key) => ({ name: key.toUpperCase(), key })),
  ...LETTERS.map((key) => ({ name: `Shift ${key.toUpperCase()}`, key: key.toUpperCase(), shiftKey: true })),
]
const ARROWS = NAMED.slice(0, 4)
/** Keys with others: in rows of a table, and on widgets that are edited. */
const WITH_OTHERS: readonly Pressed[] = [
  ...ARROWS.map(([name, key]) => ({ name: `Alt ${name}`, key, altKey: true })),
  ...ARROWS.map(([name, key]) => ({ name: `Alt Shift ${name}`, key, altKey: true, shiftKey: true })),
  ...['Home', 'End'].map((key) => ({ name: `Ctrl ${key}`, key, ctrlKey: true })),
]
/** Where keys work: the place of the table, a screen, and the element that has the focus. */
const PLACES = [
  ['alarms', 'alarms', '.list[role=grid]'],
  ['tree', 'objects', '.tree'],
  ['chart', 'job/{job}?tab=values', 'figure.plot'],
  ['calendar', 'maintenance', '.cal td[tabindex="0"]'],
  ['calendar', 'maintenance?view=week', '.week td[tabindex="0"]'],
  ['grid', 'data/{source}/tables/levels', '.data-grid'],
  ['map', 'map?source={places}&table=stations&lat=lat&lon=lon', '.map-view'],
  ['board', 'dashboards/{board}?edit=true', '.board.editing .widget'],
] as const

/** Presses all keys on an element, one after the other. Returns the names of those that it uses. */
const usedKeys = (selector: string, pressed: readonly Pressed[]) => `(() => {
  const target = document.querySelector('${selector}')
  target.focus()
  return ${JSON.stringify(pressed)}.filter(({ name, ...keys }) => {
    const event = new KeyboardEvent('keydown', { ...keys, bubbles: true, cancelable: true })
    target.dispatchEvent(event)
    return event.defaultPrevented
  }).map(({ name }) => name)
})()`

/** The keys that the table names for a place. */
function listedFor(place: string): readonly string[] {
  return KEY_TABLE.filter((one) => one.place === place && !one.keys.startsWith('g ')).flatMap(({ keys }) => {
    if (keys === 'A–Z') return LETTERS.map((letter) => letter.toUpperCase())
    const [, held = '', names = ''] = /^((?:(?:Alt|Ctrl|Shift) )*)(.*)$/.exec(keys) ?? []
    return names.split(' ').map((key) => held + key)
  })
}

onMainHost('keys', (stage) => {
  let pathOf = (path: string): string => path
  beforeAll(async () => {
    const [ofPlant, ofData] = [await makePlant(stage.client), await makeData(stage.client)]
    const ids = await makeThings(stage.client)
    const json = { name: 'Storm desk', groupId: ids['boards'], definition: definitionOf(ids) }
    const board = await good<{ readonly id: number }>(stage.client.request('POST', '/dashboards', { json }))
    pathOf = (path) => {
      if (path.startsWith('data/')) return ofData(path)
      const own = path.replace('{board}', String(board.id)).replace('{places}', String(ids['source']))
      return ofPlant(own)
    }
  }, PLANT_MAX_MS)

  for (const [place, path, selector] of PLACES)
    test(
      `the keys that work are those of the table: ${path}`,
      () =>
        stage.visit(pathOf(path), {}, async ({ page, expectProblem }) => {
          // Some keys open another page while this one reads.
          expectProblem(/status of 40[49]/)
          await page.locator(selector).first().waitFor({ timeout: SLOW_MAX_MS })
          const hasOthers = place === 'grid' || place === 'board'
          const pressed = hasOthers ? [...PRESSED, ...WITH_OTHERS] : PRESSED
          const used = await page.evaluate<string[]>(usedKeys(selector, pressed))
          const known = [place, 'lists', 'everywhere'].flatMap(listedFor)
          // The tree jumps to capital letters as well.
          const free = place === 'tree' ? LETTERS.map((letter) => `Shift ${letter.toUpperCase()}`) : []
          expect(used.filter((key) => !known.includes(key) && !free.includes(key))).toEqual([])
          // Entries of a calendar have keys of their own.
          const own = listedFor(place).filter(
            (key) => key !== 'Tab' && (hasOthers || !key.startsWith('Alt ')),
          )
          expect(own.length).toBeGreaterThan(3)
          expect(own.filter((key) => !used.includes(key))).toEqual([])
        }),
      TEST_MAX_MS,
    )

  test(
    'a row of a table is found, opened and saved by keys alone; Esc leaves its form unsaved',
    () =>
      stage.visit(pathOf('data/{source}/tables/levels'), {}, async ({ page }) => {
        const grid = page.getByRole('grid')
        const dialog = page.getByRole('dialog')
        const active = grid.locator('.active')
        await active.waitFor()
        await grid.focus()
        await page.keyboard.press('Control+End')
        await grid.locator('[role=row][aria-rowindex="481"] .active').waitFor()
        await page.keyboard.press('Control+Home')
        await page.keyboard.press('j')
        await page.keyboard.press('ArrowRight')
        await page.keyboard.press('ArrowRight')
        await grid.locator('[role=row][aria-rowindex="3"] [role=gridcell]:nth-child(4).active').waitFor()
        await page.keyboard.press('s')
        await grid.getByRole('columnheader', { name: 'level' }).and(grid.locator('[aria-sort]')).waitFor()
        await grid.locator('[role=row][aria-rowindex="2"]').getByText('-2.1', { exact: true }).waitFor()
        const level = dialog.getByLabel('level', { exact: true })
        await page.keyboard.press('Enter')
        await dialog.getByText('one row has these values').waitFor()
        await level.fill('77')
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        await page.keyboard.press('Enter')
        await dialog.getByText('one row has these values').waitFor()
        await level.fill('-3.5')
        await page.keyboard.press('Control+Enter')
        await dialog.waitFor({ state: 'detached' })
        await grid.getByText('-3.5', { exact: true }).waitFor()
        expect(await grid.getByText('77', { exact: true }).count()).toBe(0)
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

  test(
    'single keys do nothing once the account switches them off; Ctrl K still opens the palette',
    () =>
      stage.visit('account', {}, async ({ page }) => {
        const box = page.getByLabel(/^Single keys work/)
        const dialog = page.getByRole('dialog')
        await box.uncheck()
        for (const keys of ['?', '/', 'ga']) await page.keyboard.type(keys)
        await page.keyboard.press('Control+k')
        await dialog.waitFor()
        expect(await dialog.count()).toBe(1)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        expect(page.url()).toBe(`${stage.url}/ui/account`)
        await page.reload()
        expect(await box.isChecked()).toBe(false)
        await box.check()
        await page.keyboard.type('ga')
        await page.waitForURL(`${stage.url}/ui/alarms`)
      }),
    TEST_MAX_MS,
  )
})
