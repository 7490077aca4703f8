import { beforeAll, expect, test } from 'bun:test'

import { runnerOf } from '../../api/runs-stage.ts'
import { good } from '../../api/suite.ts'
import { must, RUNNER_TOKEN } from '../../runs/fake-runner.ts'
import { readUntil } from '../../until.ts'
import { leaveResults, makeGuests } from '../guests.ts'
import { heldAnswers } from '../held-answers.ts'
import { lengthen } from '../long-lists.ts'
import { onMainHost } from '../stage.ts'

type Made = { readonly id: number }

const TEST_MAX_MS = 300_000

/** The longest run of painted pixels down the part of the chart that is yet to come. */
const FILLED_PX = `(() => {
  const canvas = document.querySelector('.plot canvas')
  const x = canvas.width - 110 * devicePixelRatio
  const { data } = canvas.getContext('2d').getImageData(x, 0, 1, Math.round(canvas.height * 0.8))
  let [run, most] = [0, 0]
  for (let at = 3; at < data.length; at += 4) {
    run = data[at] > 0 ? run + 1 : 0
    most = Math.max(most, run)
  }
  return most
})()`
/** A band is higher than a line of the grid or of a limit. */
const FILLED_LEAST_PX = 12

/** A forecast of the next two hours. */
const HOURLY = { step: 'PT1H', history: 'P7D', horizon: 'PT2H', model: { kind: 'naive' } }

onMainHost(
  'forecasts',
  (stage) => {
    let job = 0
    beforeAll(async () => {
      job = await makeGuests(stage.client)
    })

    test(
      'a forecast of a job is made, run, compared with the season before, made a limit, and its band drawn in the chart of the job',
      () =>
        stage.visit('forecasts', {}, async ({ page, check, expectProblem }) => {
          expectProblem(/status of 4(09|22)/)
          await page.getByText('No forecasts yet').waitFor()
          await check('none')
          await page.getByRole('link', { name: 'New forecast' }).first().click()
          await page.getByLabel('Job', { exact: true }).fill('Gue')
          await page.getByRole('button', { name: 'Guests' }).click()
          expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Guests')
          const value = page.getByLabel('Value of the job').locator('option:checked')
          await value.filter({ hasText: 'guests' }).waitFor({ state: 'attached' })
          await page.getByLabel('Name', { exact: true }).fill('Guests, two days')
          // Without a runner there is a reason in place of a preview.
          await page.getByRole('button', { name: 'Preview' }).click()
          await page.getByText('There is no preview').waitFor()
          const runner = await runnerOf(stage.client, {
            name: 'forecaster',
            capabilities: ['forecast'],
            forecastKinds: ['auto', 'naive', 'linear_regression'],
          })
          // The trials stand beside the season before, and nothing is stored.
          // A runner that does not ask for work counts as gone.
          const previewed = runner.next()
          await page.getByRole('button', { name: 'Preview' }).click()
          await leaveResults(await previewed)
          await page.getByText('Error of the season before').waitFor()
          await page.locator('.plot canvas').waitFor()
          await check('preview')
          expect(await good(stage.client.request('GET', '/forecasts'))).toMatchObject({ items: [] })
          await page.getByLabel('Search better settings').check()
          await page.getByLabel('Holidays of').fill('ch-zh')
          await page.getByLabel('Own days').fill('2026-12-05')
          await check('new')
          // A day without a name is refused at its field.
          await page.getByRole('button', { name: 'Save' }).click()
          await page
            .locator('.field', { has: page.getByLabel('Own days') })
            .locator('.err')
            .waitFor()
          await page.getByLabel('Own days').fill('2026-12-05 Night of shops')
          // A second click while the forecast is stored makes no second one.
          const stored: string[] = []
          page.on('request', (request) => {
            if (request.method() === 'POST' && request.url().endsWith('/forecasts'))
              stored.push(request.url())
          })
          await page.getByRole('button', { name: 'Save' }).dblclick()
          await page.getByRole('heading', { level: 1, name: 'Guests, two days' }).waitFor()
          await page.getByText('No results yet').first().waitFor()
          await check('never')
          const { items } = await good<{ readonly items: readonly Made[] }>(
            stage.client.request('GET', '/forecasts'),
          )
          expect([items.length, stored.length]).toEqual([1, 1])
          expect(await good(stage.client.request('GET', `/forecasts/${items[0]?.id}`))).toMatchObject({
            model: { kind: 'auto', search: true },
            holidays: { country: 'CH-ZH', days: [{ date: '2026-12-05', name: 'Night of shops' }] },
          })

          await page.getByRole('button', { name: 'More for Guests, two days' }).click()
          await page.getByRole('menuitem', { name: 'Edit' }).click()
          await page.getByLabel('Name', { exact: true }).fill('Nobody')
          await page.getByRole('link', { name: 'Cancel' }).click()
          await page.getByRole('heading', { level: 1, name: 'Guests, two days' }).waitFor()

          const ordered = runner.next()
          await page.getByRole('button', { name: 'Run', exact: true }).click()
          await leaveResults(await ordered)
          await page.getByText('its results are shown').waitFor()
          const said = 'Off by 4.0% on average in 5 trials; the season before would be off by 6.0%'
          await page.getByText(said).first().waitFor()
          await page.locator('.plot canvas').waitFor()
          await page.getByText('Error of the season before').waitFor()
          await check('ready')
          // "Cancel" discards the typed text.
          expect(await good(stage.client.request('GET', `/forecasts/${items[0]?.id}`))).toMatchObject({
            name: 'Guests, two days',
          })
          await lengthen(page, /\/jobs\?/)
          await page.reload()
          await page.getByText('the latest 10', { exact: true }).waitFor()
          await page.getByRole('button', { name: 'As a table' }).click()
          await page.getByRole('columnheader', { name: 'Upper bound' }).waitFor()

          await page.getByRole('button', { name: 'Make it a limit' }).click()
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Severity').selectOption('Warning')
          await check('limit')
          await dialog.getByRole('button', { name: 'Add limit' }).click()
          await page.getByText('The limit is added').waitFor()
          const { thresholds } = await good<{ readonly thresholds: object }>(
            stage.client.request('GET', `/jobs/${job}?thresholds=true`),
          )
          // The limit that was there stays.
          expect(thresholds).toMatchObject({
            major: { conditions: [{ operator: '>', value: 90 }] },
            warning: { conditions: [{ adaptiveValues: { source: 'forecast', level: 95 } }] },
          })
          await page.getByRole('link', { name: 'Guests', exact: true }).click()
          await page.getByRole('heading', { level: 1, name: 'Guests' }).waitFor()
          // The chart goes on by a quarter of its day.
          const band = /^guests, .*; predicted between 3[5-9] and (4[5-9]|50) until /
          await page.getByRole('group', { name: band }).locator('canvas').waitFor()
          await check('job')

          // The band comes into a chart that was drawn without it.
          const bands = await heldAnswers(page, /\/band$/, 'GET')
          await page.reload()
          await page.locator('.plot canvas').waitFor()
          bands.end()
          await page.getByRole('group', { name: band }).waitFor()
          await readUntil(
            () => page.evaluate<number>(FILLED_PX),
            (px) => px > FILLED_LEAST_PX,
          )
        }),
      TEST_MAX_MS,
    )

    test(
      'the reason of a failed run is in the language of the page',
      async () => {
        const { client } = stage
        const json = { name: 'Fails', source: { type: 'job', jobId: job, key: 'returnValue1' }, ...HOURLY }
        const { id } = await good<Made>(client.request('POST', '/forecasts', { json }))
        const runner = await runnerOf(client, { name: 'failing', capabilities: ['forecast'] })
        const ordered = runner.next()
        await good(client.request('POST', `/forecasts/${id}/run`))
        const held = await ordered
        await held.begin()
        const error = 'The script exceeded its time limit of 5 s.'
        await must(held.finish({ outcome: 'timed_out', exitCode: null, error }))
        const settings = `/users/${client.userIds.administrator}`
        const { language } = await good<{ readonly language: string }>(client.request('GET', settings))
        await good(client.request('PATCH', settings, { json: { language: 'de' } }))
        await stage.visit(`forecasts/${id}`, {}, async ({ page }) => {
          const reason = 'Das Skript überschritt sein Zeitlimit von 5 s.'
          await page.getByText(`Zeitüberschreitung: ${reason}`, { exact: true }).waitFor()
          await page.getByRole('table').getByText(reason, { exact: true }).waitFor()
        })
        await good(client.request('PATCH', settings, { json: { language } }))
      },
      TEST_MAX_MS,
    )

    test(
      'a limit looks ahead, and one compares with usual values: both are replayed before they are saved',
      async () => {
        const { client } = stage
        await stage.visit(`job/${job}?tab=configuration`, {}, async ({ page, check }) => {
          const major = page.getByRole('group', { name: 'Major, guests', exact: true })
          await major.getByLabel('Compared with').selectOption('the number, ahead of time')
          expect(await major.getByLabel('Comparison').getByRole('option').allTextContents()).toEqual([
            'greater than',
            'at least',
            'less than',
            'at most',
          ])
          await major.getByLabel('Looks ahead').selectOption('12 hr')
          await page.getByLabel('Limit: Major, guests').fill('41')
          const replayed = page.waitForRequest(
            (request) =>
              request.url().endsWith('/replay') && (request.postData() ?? '').includes('adaptiveValues":{'),
          )
          await page.getByRole('button', { name: 'Limit', exact: true }).click()
          const minor = page.getByRole('group', { name: 'Minor, guests', exact: true })
          await minor.getByLabel('Compared with').selectOption('the usual values')
          await minor.getByLabel('Comparison').selectOption('above')
          await minor.getByLabel('Usual values').selectOption('of the time of the day')
          await minor.getByLabel('Distance').selectOption('4 deviations away')
          expect(await minor.getByLabel(/^Limit: /).count()).toBe(0)
          await replayed
          const replay = page.getByRole('region', { name: 'What this would have done' })
          await replay.getByText(/time/).first().waitFor()
          await check('limits')
          await page.getByRole('button', { name: 'Save', disabled: false }).click()
          await page.getByText('Saved', { exact: true }).waitFor()
        })
        const stored = await good(client.request('GET', `/jobs/${job}?thresholds=true`))
        expect(stored).toMatchObject({
          thresholds: {
            major: { conditions: [{ operator: '>', value: 41, inFuture: 'PT12H', adaptiveValues: null }] },
            minor: {
              conditions: [
                { operator: '>', adaptiveValues: { source: 'history', season: 'day', factor: 4 } },
              ],
            },
          },
        })
        // Limits by usual values and by a forecast have no line in the chart.
        await stage.visit(`job/${job}`, {}, async ({ page }) => {
          await page.getByRole('group', { name: /^guests, .*limits Major 41(;|$)/ }).waitFor()
        })
      },
      TEST_MAX_MS,
    )
  },
  { variables: { TIDEMARK_RUNNER_TOKEN: RUNNER_TOKEN } },
)
