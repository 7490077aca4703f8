import { beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { CUT_CONTROLS, TOO_WIDE } from '../layout.ts'
import { ALL_SCREENS, makeAll } from '../plant.ts'
import { onBun } from '../stage.ts'

const WALK_MAX_MS = 900_000
const PLANT_MAX_MS = 300_000
/** Tab stops of a screen that are looked at: trees and grids have one stop each. */
const STOPS_MAX = 25

/** Screens that another part of their address changes. */
const BOARD_STATES = [
  'dashboards/{dashboard}?edit=true',
  'map?source={source}&table=stations&lat=lat&lon=lon&key=name&state=state',
  'forecasts/new',
  'wall?dashboards=storm-desk&every=60',
]

type Size = { readonly width: number; readonly height: number }
/** A window of 1280 x 800 at 200 %, and the smallest window of WCAG 1.4.10. */
const ZOOMED: Size = { width: 640, height: 400 }
const SMALLEST: Size = { width: 320, height: 640 }
const LOOK = {
  viewport: ZOOMED,
  deviceScaleFactor: 2,
  contrast: 'more',
  forcedColors: 'active',
  reducedMotion: 'reduce',
} as const

/** Targets of a pointer of less than 24 x 24 CSS pixels that have another target too near (WCAG 2.5.8). Links within a line of
 * text may be smaller, and controls whose label is large enough. */
const SMALL_TARGETS = `(() => {
  const LEAST = 24
  const targets = [...document.querySelectorAll('main :is(a, button, input, select, textarea, summary, [role=tab])')]
    .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter((element) => !element.closest('.vh') && !(element.tagName === 'A' && getComputedStyle(element).display === 'inline'))
    .map((element) => ({ element, box: (element.closest('label') ?? element).getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0)
  const isSmall = ({ box }) => box.width < LEAST - 0.5 || box.height < LEAST - 0.5
  const middle = ({ box }) => ({ x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 })
  const isNear = (small, other) => {
    const at = middle(small)
    const to = isSmall(other) ? middle(other) : {
      x: Math.min(Math.max(at.x, other.box.left), other.box.right),
      y: Math.min(Math.max(at.y, other.box.top), other.box.bottom),
    }
    return Math.hypot(at.x - to.x, at.y - to.y) < (isSmall(other) ? LEAST : LEAST / 2) - 0.5
  }
  return targets
    .filter((one) => isSmall(one) && targets.some((other) => other.element !== one.element && isNear(one, other)))
    .map(({ element }) => 'small target ' + element.outerHTML.slice(0, 160))
})()`

/** No element of the page has the focus. */
const END = 'end'
/** Why the focused element cannot be seen; null when it can, or when no element has the focus. */
const FOCUS_FAULT = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return '${END}'
  const shown = [element, ...element.querySelectorAll('*'), element.closest('label')].filter(Boolean)
  const isRinged = shown.some((one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none'
  })
  const { left, top, right, bottom } = element.getBoundingClientRect()
  const isInside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
  if (!isRinged) return 'no ring: ' + element.outerHTML.slice(0, 160)
  if (!isInside) return 'outside of the window: ' + element.outerHTML.slice(0, 160)
  return null
})()`

/** Animations that run. */
const MOVING = `document.getAnimations()
  .filter((animation) => animation.playState === 'running' && Number(animation.effect.getComputedTiming().duration) > 1)
    .map((animation) => 'moves ' + animation.effect.target.outerHTML.slice(0, 120))`

onBun('walk', (stage) => {
  let paths: readonly string[] = []
  beforeAll(async () => {
    const pathOf = await makeAll(stage.client)
    paths = [...ALL_SCREENS, ...BOARD_STATES].map(pathOf)
  }, PLANT_MAX_MS)

  test(
    'with forced colours, more contrast and reduced motion each screen fits at 200 % zoom and at 320 px',
    async () => {
      const faults: string[] = []
      await stage.visit('', { browser: LOOK }, async ({ page, expectProblem }) => {
        // A service without a status page.
        expectProblem(/status of 404.*status-page/)
        const refuse = (path: string, found: readonly string[]) =>
          faults.push(...found.map((fault) => `${path}: ${fault}`))
        const refuseOverflow = async (path: string, viewport: Size) => {
          await page.setViewportSize(viewport)
          const tooWidePx = await page.evaluate<number>(TOO_WIDE)
          if (tooWidePx > 0) refuse(path, [`${tooWidePx} px wider than ${viewport.width} px`])
          refuse(path, await page.evaluate<string[]>(CUT_CONTROLS))
        }
        for (const path of paths) {
          await page.goto(`${stage.url}/ui/${path}`)
          await page.getByRole('heading', { level: 1 }).first().waitFor()
          await page
            .locator('.skeleton')
            .first()
            .waitFor({ state: 'detached' })
            .catch(() => refuse(path, ['does not stop loading']))
          refuse(path, await page.evaluate<string[]>(MOVING))
          await refuseOverflow(path, SMALLEST)
          await refuseOverflow(path, ZOOMED)
          refuse(path, await page.evaluate<string[]>(SMALL_TARGETS))
          // Tabs of a screen share its stops.
          if (!path.includes('?')) refuse(path, await hiddenStops(page, path === ''))
        }
      })
      expect(faults).toEqual([])
    },
    WALK_MAX_MS,
  )

  test('a hidden focus, a movement, a small target, a wide element and a cut button are found', () =>
    stage.visit('keys', { browser: LOOK }, async ({ page }) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      const find = async () => ({
        moving: await page.evaluate<string[]>(MOVING),
        small: await page.evaluate<string[]>(SMALL_TARGETS),
        hidden: await hiddenStops(page, true),
        tooWidePx: await page.evaluate<number>(TOO_WIDE),
        cut: await page.evaluate<string[]>(CUT_CONTROLS),
      })
      expect(await find()).toEqual({ moving: [], small: [], hidden: [], tooWidePx: 0, cut: [] })
      await page.evaluate(WORSEN)
      const found = await find()
      expect(found.moving.join()).toContain('moves')
      expect(found.small.join()).toContain('small target')
      expect(found.hidden.join()).toContain('no ring')
      expect(found.tooWidePx).toBeGreaterThan(0)
      expect(found.cut.join()).toContain('behind the edge')
    }))
})

/** One fault of each kind that the walk looks for. The page allows no styles in its text. */
const WORSEN = `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(
    '* { outline: none !important; box-shadow: none !important }' +
    '.small { all: unset; width: 9px; height: 9px } .wide { width: 200vw; height: 1px; text-align: end }' +
    '.cutting { width: 50vw; overflow: auto }',
  )
  document.adoptedStyleSheets.push(sheet)
  const [main] = document.getElementsByTagName('main')
  main.animate({ opacity: [0.5, 1] }, { duration: 1000, iterations: Infinity })
  main.insertAdjacentHTML('afterbegin', '<button class="small">a</button><button class="small">b</button>')
  main.insertAdjacentHTML('beforeend', '<div class="wide"></div>')
  main.insertAdjacentHTML('beforeend', '<div class="cutting"><div class="wide"><button>behind the edge</button></div></div>')
})()`

/** Goes through the tab stops of a screen, and says which of them does not show the focus.
 * @param withNavigation whether to begin with the navigation, which is the same on each screen */
async function hiddenStops(page: Page, withNavigation: boolean): Promise<readonly string[]> {
  const faults: string[] = []
  if (!withNavigation) await page.locator('main').focus()
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press('Tab')
    const fault = await page.evaluate<string | null>(FOCUS_FAULT)
    if (fault === END) break
    if (fault !== null) faults.push(fault)
  }
  return faults
}
