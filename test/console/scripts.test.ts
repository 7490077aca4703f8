import { expect, test } from 'bun:test'

import { stageOf } from '../api/runs-stage.ts'
import { must, RUNNER_TOKEN } from '../runs/fake-runner.ts'
import { onBothHosts } from './stage.ts'

const FIRST = 200
const SECOND = 20
const JOURNEY_MAX_MS = 60_000
/** The lines of a log that may be in the page at once. */
const ROWS_MAX = 300

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    line: from + at,
    at: 1_770_000_000_000 + from + at,
    stream: 'stdout' as const,
    text: `batch ${from + at}`,
  }))

onBothHosts(
  'scripts',
  (stage) => {
    test(
      'a run is ordered with arguments, its log is followed, and following stops for a reader who scrolls up',
      async () => {
        const { scriptId, runner } = await stageOf(stage.client)
        await stage.visit(`scripts/${scriptId}`, {}, async ({ page, check }) => {
          await page.getByText('This script has not run yet.').first().waitFor()
          await page.getByRole('button', { name: 'Run', exact: true }).click()
          await page.getByLabel('Arguments').fill('--since\ntwo words')
          await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
          await page.getByText('The first line appears here').waitFor()
          const held = await runner.next()
          expect(held.assignment).toMatchObject({ arguments: ['--since', 'two words'] })
          await held.begin()
          await must(held.log(lines(1, FIRST)))
          await page.getByText(`batch ${FIRST}`, { exact: true }).waitFor()
          expect(await page.locator('.line').count()).toBeLessThan(ROWS_MAX)

          await page.locator('.log').hover()
          await page.mouse.wheel(0, -3_000)
          await page.getByRole('button', { name: 'To the end' }).waitFor()
          await must(held.log(lines(FIRST + 1, SECOND)))
          await page.getByRole('button', { name: `${SECOND} new lines` }).waitFor()
          await check('run')
          await page.getByRole('button', { name: `${SECOND} new lines` }).click()
          await page.getByText(`batch ${FIRST + SECOND}`, { exact: true }).waitFor()
          await must(held.finish({ logLines: FIRST + SECOND }))
          await page.getByText('Succeeded').first().waitFor()
          await page.getByRole('button', { name: 'Run again' }).waitFor()
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
          await page.getByRole('button', { name: 'Save' }).click()
          await page.getByText('run.sh is saved').waitFor()
          await check('files')
          await stage.client.request('PUT', `/scripts/${scriptId}/files/run.sh`, { text: 'echo 2\n' })
          expectProblem(/412/)
          await editor.fill('echo 3\n')
          await page.getByRole('button', { name: 'Save' }).click()
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
