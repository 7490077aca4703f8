import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core'

import type { Role } from '../../src/context.ts'
import { PASSWORD } from '../api/client.ts'
import { ADMIN } from '../hosts/host.ts'
import { faultsOf } from './accessibility.ts'
import { CUT_CONTROLS, SMALL_ICONS, TOO_WIDE, WIDEST } from './layout.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell'
/** Whether a browser is installed: Debian has it in the package `chromium-headless-shell`. */
export const HAS_BROWSER = existsSync(CHROMIUM)

/** Where pictures of screens are written; git ignores it. */
const PICTURES = join(import.meta.dir, 'pictures')
/** The console renews a session only in a browser that has signed in before. */
const SIGNED_IN_KEY = 'tidemark.signedIn'
const WAIT_MAX_MS = 60_000

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const

/** WCAG 1.4.10: as wide as a window of 1280 px at 400 %. */
const SMALLEST = { width: 320, height: 640 } as const

/** How a person sees the console. */
export type Look = {
  readonly width: keyof typeof SIZES
  readonly theme: 'light' | 'dark'
  /** The user who is signed in; null for none. */
  readonly as: Role | null
  /** Anything else that a browser can be set to, such as `locale` or `forcedColors`. */
  readonly browser: BrowserContextOptions
}

const ALL_LOOKS = [
  ['wide', 'light'],
  ['narrow', 'dark'],
  ['wide', 'dark'],
  ['narrow', 'light'],
] as const

/** Whether all looks and hosts are tested, as by `npm run test:console`. */
export const IS_COMPLETE = process.env['TIDEMARK_TEST_EVERY_LOOK'] === 'true'

/** Widths and themes: each once, or all pairs. */
export const LOOKS = IS_COMPLETE ? ALL_LOOKS : ([ALL_LOOKS[0], ALL_LOOKS[1]] as const)

/** A page of the console in a browser of its own. */
export type Screen = {
  readonly page: Page
  /** Fails for faults of accessibility, for a page that is wider than the window, also at 320 px, for a control that a box cuts
   * at its side, and for an icon that a button shrinks, in all `LOOKS`. On workerd, which serves the same page, it looks for the
   * width alone, as the page was opened, unless all looks are tested. With all looks it takes a picture of each, whose name gets
   * the width and the theme. */
  readonly check: (name: string) => Promise<void>
  /** Writes a picture of the page as it was opened to `test/console/pictures`, where all looks are tested. */
  readonly picture: (name: string) => Promise<void>
  /** Declares an error of the browser's console that the test brings about, such as a refused request. */
  readonly expectProblem: (pattern: RegExp) => void
  /** Bytes of each kind of file that the browser has loaded, compressed by gzip. */
  readonly loaded: () => Promise<Readonly<Record<'script' | 'stylesheet' | 'font', number>>>
}

export type Visit = (screen: Screen) => Promise<void>

/** Starts Chromium without a window. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      // A name that is resolved would leave the machine.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
}

/** Where a visit goes to. */
type Place = {
  readonly browser: Browser
  /** The URL of the service, with its base path. */
  readonly base: string
  /** The folder of pictures. */
  readonly folder: string
  /** Whether `check` goes through all looks, and asks axe. */
  readonly inAllLooks: boolean
}

/** Opens a path of the console, runs the visit, and closes the page.
 * @throws {Error} what the visit throws; for an error of the page; for a request to another host */
export async function visit(
  { browser, base, folder, inAllLooks }: Place,
  path: string,
  { width = 'wide', theme = 'light', as = 'administrator', browser: options = {} }: Partial<Look>,
  run: Visit,
): Promise<void> {
  const context = await browser.newContext({
    viewport: SIZES[width],
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Zurich',
    hasTouch: width === 'narrow',
    ...options,
  })
  context.setDefaultTimeout(WAIT_MAX_MS)
  if (as !== null) {
    const data = as === 'administrator' ? ADMIN : { username: as, password: PASSWORD }
    const answer = await context.request.post(`${base}/session/login`, { data: { ...data, cookie: true } })
    if (!answer.ok()) throw new Error(`${as} cannot sign in: ${answer.status()} ${await answer.text()}`)
    await context.addInitScript(`localStorage.setItem('${SIGNED_IN_KEY}', 'true')`)
  }
  const page = await context.newPage()
  const watch = watchPage(page, new URL(base).origin)
  const pictureOf = async (name: string, look: Pick<Look, 'width' | 'theme'>) => {
    const file = `${name}-${look.width}-${look.theme}.png`
    await page.screenshot({ path: join(PICTURES, folder, file), animations: 'disabled', fullPage: true })
  }
  const checks = {
    picture: (name: string) => (IS_COMPLETE ? pictureOf(name, { width, theme }) : Promise.resolve()),
    async check(name: string) {
      for (const [wide, colours] of inAllLooks ? LOOKS : [[width, theme] as const]) {
        const look = { width: wide, theme: colours }
        await page.setViewportSize(SIZES[look.width])
        await page.emulateMedia({ colorScheme: look.theme })
        // Charts are drawn again in the next frame.
        await page.evaluate('new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))')
        if (IS_COMPLETE) await pictureOf(name, look)
        await refuseOverflow(page, `${name}, ${look.width}, ${look.theme}`)
        if (inAllLooks) await refuseFaults(page, `${name}, ${look.width}, ${look.theme}`)
      }
      await page.setViewportSize(SMALLEST)
      await refuseOverflow(page, `${name}, 320 px`)
      await page.setViewportSize(SIZES[width])
      await page.emulateMedia({ colorScheme: theme })
    },
  }
  try {
    await page.goto(`${base}/ui/${path}`)
    await run({ page, ...watch.screen, ...checks })
  } catch (error) {
    await pictureOf('failed', { width, theme }).catch(() => undefined)
    // Some errors of Playwright and of sockets have no message, and problems of the page do not replace it.
    const failed = Bun.inspect(error)
    throw new Error([`At ${page.url()}: ${failed}`, ...watch.problems()].join('\n'), { cause: error })
  } finally {
    await context.close()
  }
  if (watch.problems().length > 0) throw new Error(`The page has problems:\n${watch.problems().join('\n')}`)
}

async function refuseFaults(page: Page, title: string): Promise<void> {
  const faults = await faultsOf(page)
  if (faults.length > 0) throw new Error(`${title}, at ${page.url()}:\n${faults.join('\n')}`)
}

async function refuseOverflow(page: Page, title: string): Promise<void> {
  const tooWidePx = await page.evaluate<number>(TOO_WIDE)
  if (tooWidePx > 0) {
    const widest = await page.evaluate<string[]>(WIDEST)
    throw new Error(
      `${title}, at ${page.url()}: the page is ${tooWidePx} px wider than the window.\n${widest.join('\n')}`,
    )
  }
  for (const faults of [CUT_CONTROLS, SMALL_ICONS]) {
    const found = await page.evaluate<string[]>(faults)
    if (found.length > 0) throw new Error(`${title}, at ${page.url()}:\n${found.join('\n')}`)
  }
}

/** Notes what goes wrong in a page, and what the page loads. */
function watchPage(page: Page, origin: string) {
  const problems: string[] = []
  const expected: RegExp[] = []
  const responses: Response[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(error.stack || `${error.name}: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && asked !== origin)
      problems.push(`The page asks another host: ${request.url()}`)
  })
  page.on('response', (response) => {
    responses.push(response)
    if (response.status() >= 500) problems.push(`${response.url()} answers ${response.status()}`)
  })
  const loaded = async () => {
    const sizes = { script: 0, stylesheet: 0, font: 0 }
    for (const response of responses) {
      const kind = response.request().resourceType()
      if (kind !== 'script' && kind !== 'stylesheet' && kind !== 'font') continue
      const bytes = new Uint8Array(await response.body())
      sizes[kind] += kind === 'font' ? bytes.length : Bun.gzipSync(bytes).length
    }
    return sizes
  }
  return {
    screen: { loaded, expectProblem: (pattern: RegExp) => void expected.push(pattern) },
    problems: () => problems.filter((problem) => !expected.some((pattern) => pattern.test(problem))),
  }
}
