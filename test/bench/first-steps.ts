import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Locator, Page } from 'playwright-core'

import { launch } from '../console/browser.ts'
import { linesOf } from '../hosts/process.ts'
import { machine, tableOf } from './measure.ts'

/**
 * How long a person takes from a clone to the first value in a chart, the first alarm and the first notification, by the pages
 * of the console alone. The person reads before each action: `PAUSE_MS` before a click or a field, `READ_MS` on a new page.
 * The service is a clone of the last commit. Prints seconds since the set-up link was opened; install and start are apart.
 */
const PAUSE_MS = 2_000
const READ_MS = 5_000
const START_MAX_MS = 60_000
const PASSWORD = 'correct horse battery'
const ROOT = join(import.meta.dir, '../..')

/** Uses a page as slowly as a person. */
class Person {
  readonly steps: { step: string; 's since the link': string; 'of these, pauses': string }[] = []
  readonly #begunAt = performance.now()
  #paused = 0
  constructor(readonly page: Page) {}

  async #pause(ms: number): Promise<void> {
    this.#paused += ms
    await Bun.sleep(ms)
  }

  /** Reads a page that is new. */
  async read(shown: Locator): Promise<void> {
    await shown.waitFor()
    await this.#pause(READ_MS)
  }

  async fill(field: Locator, text: string): Promise<void> {
    await this.#pause(PAUSE_MS)
    await field.fill(text)
  }

  async click(target: Locator): Promise<void> {
    await this.#pause(PAUSE_MS)
    await target.click()
  }

  async choose(field: Locator, label: string): Promise<void> {
    await this.#pause(PAUSE_MS)
    await field.selectOption({ label })
  }

  /** Notes the time at which a step is done. */
  done(step: string): void {
    const seconds = (performance.now() - this.#begunAt) / 1_000
    this.steps.push({
      step,
      's since the link': seconds.toFixed(1),
      'of these, pauses': (this.#paused / 1_000).toFixed(0),
    })
  }
}

async function main(): Promise<void> {
  process.stdout.write(`${machine()}\n`)
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-first-steps-'))
  const clone = join(folder, 'clone')
  const messages: string[] = []
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      messages.push(await request.text())
      return new Response()
    },
  })
  const browser = await launch()
  try {
    const cloned = await secondsOf(() =>
      run(['git', 'clone', '--quiet', '--depth', '1', `file://${ROOT}`, clone], ROOT),
    )
    const installed = await secondsOf(() =>
      run(['npm', 'ci', '--omit=dev', '--no-audit', '--no-fund'], clone),
    )
    const startedAt = performance.now()
    const service = await startService(clone, join(folder, 'data'), `127.0.0.1:${receiver.port}`)
    const started = (performance.now() - startedAt) / 1_000
    try {
      const page = await browser.newPage({ locale: 'en-GB', timezoneId: 'Europe/Zurich' })
      const person = new Person(page)
      const path = join(tmpdir(), 'tidemark-first-steps.png')
      await takeFirstSteps(person, service.link, `http://127.0.0.1:${receiver.port}/`, messages).catch(
        async (error: unknown) => {
          await page.screenshot({ path })
          throw new Error(`The page is in ${path}.`, { cause: error })
        },
      )
      const before = [
        ['git clone', cloned],
        ['npm ci --omit=dev', installed],
        ['npm start, until the set-up link', started],
      ] as const
      process.stdout.write(
        `${tableOf(before.map(([step, seconds]) => ({ step, s: seconds.toFixed(1) })))}\n\n`,
      )
      process.stdout.write(`${tableOf(person.steps)}\n`)
    } finally {
      await service.stop()
    }
  } finally {
    await browser.close()
    await receiver.stop(true)
    await rm(folder, { recursive: true })
  }
}

async function takeFirstSteps(
  person: Person,
  link: string,
  receiver: string,
  messages: readonly string[],
): Promise<void> {
  const { page } = person
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const tab = (name: string) => page.getByRole('tab', { name })
  const goTo = async (name: string) => {
    await person.click(
      page
        .getByRole('navigation')
        .getByRole('link', { name: new RegExp(`^${name}`) })
        .first(),
    )
    await person.read(page.getByRole('heading', { level: 1 }).first())
  }
  const send = async (value: string) => {
    await person.click(tab('Send a value'))
    await person.fill(page.getByRole('textbox', { name: 'Temperature' }), value)
    await person.click(button('Send'))
    await page.getByText('Stored, 1 value.').waitFor()
  }

  await page.goto(link)
  await person.read(page.getByLabel('Password'))
  await person.fill(page.getByLabel('Password'), PASSWORD)
  await person.click(page.getByRole('radio').nth(1))
  await person.click(button('Set up Tidemark'))
  await person.read(page.getByText('Waiting for the first value'))
  person.done('set up and signed in')

  await goTo('Objects')
  await person.click(page.getByRole('treeitem', { name: 'My first device' }))
  await person.read(page.getByRole('heading', { level: 1, name: 'My first device' }))
  await person.click(page.getByRole('main').getByRole('link', { name: 'My first webhook job' }))
  await person.read(tab('Send a value'))
  await send('21.5')
  await person.click(tab('Values'))
  await page.getByRole('group', { name: /highest 21\.5(?! *\d)/ }).waitFor()
  person.done('first value in the chart')

  await person.click(tab('Configuration'))
  await person.read(page.getByText('No limits: the state follows the error code alone.'))
  await person.click(button('Limit'))
  await person.fill(page.getByLabel(/^Limit: /), '25')
  await person.click(button('Save'))
  await page.getByText('Saved', { exact: true }).waitFor()
  person.done('limit saved')
  const job = page.url()
  await send('26')
  person.done('value above the limit sent')
  await goTo('Alarms')
  await page.getByRole('main').getByText('My first webhook job').first().waitFor()
  person.done('first alarm')

  await goTo('Notifications')
  await person.click(button('New recipient').first())
  const form = page.getByRole('dialog')
  await person.read(form)
  await person.fill(form.getByLabel('Name', { exact: true }), 'On duty')
  await person.choose(form.getByLabel('Sent by'), 'Webhook')
  await person.fill(form.getByLabel('URL', { exact: true }), receiver)
  await person.click(form.getByRole('button', { name: 'Save' }))
  await person.read(form.getByText('shown once', { exact: false }).first())
  await page.keyboard.press('Escape')
  await page.goto(job)
  await send('20')
  await send('27')
  await goTo('Notifications')
  await person.click(page.getByRole('link', { name: 'Messages' }))
  // A recipient groups the alarms of 10 seconds into one message.
  while (messages.length === 0) await Bun.sleep(100)
  await person.click(page.getByText('Sent', { exact: true }).first())
  await page.getByRole('cell', { name: 'Sent', exact: true }).first().waitFor()
  person.done('first notification at its receiver and in the list')
}

async function startService(clone: string, dataDir: string, allowed: string) {
  const child = Bun.spawn({
    cmd: ['npm', 'start'],
    cwd: clone,
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      TIDEMARK_DATA_DIR: dataDir,
      TIDEMARK_OUTBOUND_ALLOW: allowed,
      TIDEMARK_PORT: '0',
    },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const late = setTimeout(() => child.kill(), START_MAX_MS)
  const link = await new Promise<string>((resolve, reject) => {
    const read = async () => {
      for await (const line of linesOf(child.stdout)) {
        const printed = /(http\S+\/session\/setup\?token=\S+)/.exec(line)?.[1]
        if (printed !== undefined) resolve(printed)
      }
    }
    read().then(() => reject(new Error('The service ended before it printed the set-up link.')), reject)
  })
  clearTimeout(late)
  return {
    link,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function run(cmd: readonly string[], cwd: string): Promise<void> {
  const child = Bun.spawn({ cmd: [...cmd], cwd, stdout: 'ignore', stderr: 'pipe' })
  const stderr = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${cmd.join(' ')} failed: ${stderr}`)
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const begunAt = performance.now()
  await work()
  return (performance.now() - begunAt) / 1_000
}

await main()
