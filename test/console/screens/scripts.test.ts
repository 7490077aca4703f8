import { expect, test } from 'bun:test'

import { stageOf } from '../../api/runs-stage.ts'
import { good } from '../../api/suite.ts'
import { must, RUNNER_TOKEN } from '../../runs/fake-runner.ts'
import type { Held } from '../../runs/fake-runner.ts'
import { LOOKS } from '../browser.ts'
import { onMainHost } from '../stage.ts'

const FIRST = 200
const SECOND = 20
const LONG = 1_250
const CHUNK = 250
const JOURNEY_MAX_MS = 300_000
/** A runner that is silent for 25 seconds is given up. */
const BEAT_MS = 5_000
/** The lines of a log that may be in the page at once. */
const ROWS_MAX = 300

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    line: from + at,
    at: 1_770_000_000_000 + from + at,
    stream: 'stdout' as const,
    text: `batch ${from + at}`,
  }))

/** Does something, however long it takes on a busy machine, while the runner keeps its run. */
async function keeping(held: Held, work: () => Promise<void>): Promise<void> {
  const beat = setInterval(() => void held.say('POST', 'heartbeat'), BEAT_MS)
  try {
    await work()
  } finally {
    clearInterval(beat)
  }
}

onMainHost(
  'scripts',
  (stage) => {
    test.each([...LOOKS])(
      'a run is ordered with arguments, followed, searched and cancelled (%s, %s)',
      async (width, theme) => {
        const { scriptId, runner } = await stageOf(stage.client)
        await stage.visit(`scripts/${scriptId}`, { width, theme }, async ({ page, check }) => {
          await page.getByText('This script has not run yet.').first().waitFor()
          await page.getByRole('button', { name: 'Run', exact: true }).click()
          await page.getByLabel('Arguments').fill('--since\ntwo words')
          await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
          await page.getByRole('heading', { level: 1, name: '--since "two words"' }).waitFor()
          await page.getByText('The first line appears here').waitFor()
          const held = await runner.next()
          expect(held.assignment).toMatchObject({ arguments: ['--since', 'two words'] })
          await held.begin()
          await keeping(held, async () => {
            await must(held.log(lines(1, FIRST)))
            await page.getByText(`batch ${FIRST}`, { exact: true }).waitFor()
            expect(await page.locator('.line').count()).toBeLessThan(ROWS_MAX)

            await page.locator('.log').hover()
            await page.mouse.wheel(0, -3_000)
            await page.getByRole('button', { name: 'To the end' }).waitFor()
            await must(held.log(lines(FIRST + 1, SECOND)))
            const newer = page.getByRole('button', { name: `${SECOND} new lines` })
            await newer.waitFor()
            // The view of the reader has stayed.
            expect(await page.getByText(`batch ${FIRST + SECOND}`, { exact: true }).count()).toBe(0)
            await check(`run-${width}`)
            await newer.focus()
            await page.keyboard.press('Enter')
            await page.getByText(`batch ${FIRST + SECOND}`, { exact: true }).waitFor()
            await newer.waitFor({ state: 'detached' })

            await page.getByLabel('Search the log').fill('BATCH 21')
            await page.getByText('11 lines', { exact: true }).waitFor()
            // The list is drawn again after its scroll position was corrected.
            await page.locator('.line').nth(10).waitFor()
            expect(await page.locator('.line').count()).toBe(11)
            await page.getByLabel('Search the log').fill('')

            await page.getByRole('button', { name: 'Cancel run' }).click()
            await page.getByRole('button', { name: 'Cancel run', disabled: true }).waitFor()
            expect((await must(held.say('POST', 'heartbeat'))).body).toEqual({ cancel: true })
          })
          const logLines = FIRST + SECOND
          await must(held.finish({ outcome: 'cancelled', exitCode: null, logLines }))
          await page.getByText('Cancelled').first().waitFor()
          await page.getByRole('button', { name: 'Run again' }).waitFor()

          await page.getByRole('link', { name: /^run \d+$/ }).click()
          const row = page.getByRole('row').filter({ hasText: '--since "two words"' })
          await row.getByText('Cancelled').waitFor()
          await check(`runs-${width}`)
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'a log of more than 1,000 lines says how many are left out',
      async () => {
        const { scriptId, begun } = await stageOf(stage.client)
        const held = await begun()
        for (let from = 1; from < LONG; from += CHUNK) await must(held.log(lines(from, CHUNK)))
        await must(held.finish({ logLines: LONG }))
        await stage.visit(`scripts/${scriptId}/jobs/${held.id}`, {}, async ({ page, check }) => {
          await page.getByText(`batch ${LONG}`, { exact: true }).waitFor()
          await page.getByText('250 lines are left out: the service keeps the first 100').waitFor()
          expect(await page.locator('.line').count()).toBeLessThan(ROWS_MAX)
          await check('long-log')
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'a table has the rows of a file that a script leaves, read with commas in its numbers',
      async () => {
        const { client } = stage
        const { scriptId, configurationId, runner } = await stageOf(client)
        const { name } = await good<{ readonly name: string }>(client.request('GET', `/scripts/${scriptId}`))
        const json = { name: 'Outputs', type: 'csv' }
        const { id } = await good<{ readonly id: number }>(client.request('POST', '/dataSources', { json }))
        await stage.visit(`data/${id}?tab=refreshes`, {}, async ({ page, check }) => {
          const dialog = page.getByRole('dialog')
          await page.getByRole('button', { name: 'New copy of a table' }).click()
          await dialog.getByLabel('Rows come from').selectOption('a file of a script')
          await dialog.getByLabel('Name of the table').fill('levels')
          await dialog.getByLabel('Script', { exact: true }).selectOption(name)
          await dialog.getByLabel('Run configuration').selectOption(String(configurationId))
          await dialog.getByLabel('File', { exact: true }).fill('levels.csv')
          await dialog.getByLabel('Column 1', { exact: true }).fill('level')
          await dialog.getByLabel('In the file: column 1').fill('Pegel (m)')
          await dialog.getByLabel('Type of column 1').selectOption('number')
          await dialog.getByText('How the file is read').click()
          await dialog.getByLabel('Numbers', { exact: true }).selectOption({ label: 'with a comma: 1,5' })
          await check('script-origin')
          await dialog.getByRole('button', { name: 'Save' }).click()
          await page.getByText('never refreshed').waitFor()
          await page.getByRole('button', { name: 'Refresh now' }).click()
          const held = await runner.next()
          await held.begin()
          const bytes = new TextEncoder().encode('Pegel (m);other\n1,25;x\n')
          await must(held.say('PUT', 'outputs/levels.csv', { bytes }))
          await must(held.finish())
          await page.getByText('levels is refreshed: 1 row').waitFor()
          await page.getByRole('link', { name: `${name} / levels.csv` }).waitFor()
          await page.getByRole('button', { name: 'Edit', exact: true }).click()
          await dialog.getByLabel('Refreshed').selectOption('every 1\u00a0hr')
          await dialog.getByRole('button', { name: 'Save' }).click()
          await page.getByText('every 1\u00a0hr').waitFor()
          await page.getByRole('tab', { name: 'Rows' }).click()
          await page.getByRole('gridcell', { name: '1.25' }).waitFor()
        })
      },
      JOURNEY_MAX_MS,
    )

    test('a file is saved, and a newer version of another user is not overwritten', async () => {
      const { scriptId } = await stageOf(stage.client)
      await stage.visit(
        `scripts/${scriptId}?tab=files&file=run.sh`,
        {},
        async ({ page, check, expectProblem }) => {
          const editor = page.getByLabel('Content of run.sh')
          await editor.fill('echo 1\n')
          await page.getByRole('button', { name: 'Save', disabled: false }).click()
          await page.getByText('run.sh is saved').waitFor()
          await check('files')
          await stage.client.request('PUT', `/scripts/${scriptId}/files/run.sh`, { text: 'echo 2\n' })
          expectProblem(/412/)
          await editor.fill('echo 3\n')
          await page.getByRole('button', { name: 'Save', disabled: false }).click()
          await page.getByText('changed by another user').waitFor()
          expect(await editor.inputValue()).toBe('echo 3\n')
          await page.getByRole('button', { name: 'Read the stored version' }).click()
          await page.getByText('changed by another user').waitFor({ state: 'detached' })
          expect(await editor.inputValue()).toBe('echo 2\n')
        },
      )
    })
  },
  { variables: { TIDEMARK_RUNNER_TOKEN: RUNNER_TOKEN } },
)
