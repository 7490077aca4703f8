import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core'

import type { Role } from '../../src/context.ts'
import { PASSWORD } from '../api/client.ts'
import { ADMIN } from '../hosts/host.ts'
import { faultsOf } from './accessibility.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
/** Whether a browser is installed: Debian has it in the package `chromium`. */
export const HAS_BROWSER = existsSync(CHROMIUM)

/** Where pictures of screens are written; git ignores it. */
const PICTURES = join(import.meta.dir, 'pictures')
/** The console renews a session only in a browser that has signed in before. */
const SIGNED_IN_KEY = 'tidemark.signedIn'
// A function that names `document` would need the types of browsers, which those of Bun contradict.
const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const WAIT_MAX_MS = 10_000

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const

/** How a person sees the console. */
export type Look = {
  readonly width: keyof typeof SIZES
  readonly theme: 'light' | 'dark'
  /** The user who is signed in; null for none. */
  readonly as: Role | null
  /** Anything else that a browser can be set to, such as `locale` or `forcedColors`. */
  readonly browser: BrowserContextOptions
}

/** Both widths in both themes. */
export const LOOKS: readonly Pick<Look, 'width' | 'theme'>[] = [
  { width: 'wide', theme: 'light' },
  { width: 'wide', theme: 'dark' },
  { width: 'narrow', theme: 'light' },
  { width: 'narrow', theme: 'dark' },
]

/** A page of the console in a browser of its own. */
export type Screen = {
  readonly page: Page
  /** Takes a full picture, and fails for faults of accessibility and for a page that is wider than the window.
   * @param name of the picture, without its width and theme */
  readonly check: (name: string) => Promise<void>
  /** Writes a picture to `test/console/pictures`. */
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

/** Opens a path of the console, runs the visit, and closes the page.
 * @param base URL of the service, with its base path
 * @throws {Error} what the visit throws; for an error of the page; for a request to another host */
export async function visit(
  { browser, base, folder }: { browser: Browser; base: string; folder: string },
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
  const nameOf = (name: string) => join(PICTURES, folder, `${name}-${width}-${theme}.png`)
  try {
    await page.goto(`${base}/ui/${path}`)
    await run({ page, ...watch.screen, ...checksOf(page, nameOf) })
  } catch (error) {
    await page.screenshot({ path: nameOf('failed') }).catch(() => undefined)
    throw watch.problems().length === 0 ? error : new Error(watch.problems().join('\n'), { cause: error })
  } finally {
    await context.close()
  }
  if (watch.problems().length > 0) throw new Error(`The page has problems:\n${watch.problems().join('\n')}`)
}

function checksOf(page: Page, nameOf: (name: string) => string): Pick<Screen, 'check' | 'picture'> {
  const picture = async (name: string) => {
    await page.screenshot({ path: nameOf(name), animations: 'disabled', fullPage: true })
  }
  return {
    picture,
    async check(name) {
      await picture(name)
      const tooWidePx = await page.evaluate<number>(TOO_WIDE)
      const faults = [
        ...(tooWidePx > 0 ? [`The page is ${tooWidePx} px wider than the window.`] : []),
        ...(await faultsOf(page)),
      ]
      if (faults.length > 0) throw new Error(`${name} at ${page.url()}:\n${faults.join('\n')}`)
    },
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
  page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
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
