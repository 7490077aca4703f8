import { expect, test } from 'bun:test'

import { stageOf } from '../../api/runs-stage.ts'
import { good } from '../../api/suite.ts'
import { must, RUNNER_TOKEN } from '../../runs/fake-runner.ts'
import { heldAnswers } from '../held-answers.ts'
import { onMainHost } from '../stage.ts'
import type { Stage } from '../stage.ts'

type Made = { readonly id: number }

const TEST_MAX_MS = 300_000
const NOTE = { kind: 'text', title: 'Note', markdown: 'Calm' }

const post = (stage: Stage, path: string, json: object) =>
  good<Made>(stage.client.request('POST', path, { json }))

/** A dashboard with widgets below each other. */
function makeBoard(
  stage: Stage,
  { widgets, ...rest }: { readonly name: string; readonly widgets: Readonly<Record<string, object>> },
  more: object = {},
) {
  const items = Object.keys(widgets).map((widget, at) => ({ widget, x: 0, y: at * 3, w: 6, h: 3 }))
  const definition = { widgets, pages: [{ id: 'main', title: '', items }] }
  return post(stage, '/dashboards', { ...rest, ...more, definition })
}

const STATIONS_TEXT = 'SELECT station, day, level, lat, lon FROM levels WHERE station = ${station}'

/** Data queries of a table: one that needs a value, one without, and one that was never published. */
async function makeQueries(stage: Stage) {
  const source = await post(stage, '/dataSources', { name: 'Gauges', type: 'csv' })
  await post(stage, `/dataSources/${source.id}/tables`, {
    name: 'levels',
    columns: [
      { name: 'station', type: 'string' },
      { name: 'day', type: 'date' },
      { name: 'level', type: 'number' },
      { name: 'lat', type: 'number' },
      { name: 'lon', type: 'number' },
    ],
  })
  await post(stage, `/dataSources/${source.id}/tables/levels/rows`, {
    rows: [{ station: 'Harlingen', day: '2026-03-01', level: 3.1, lat: 53.175, lon: 5.411 }],
  })
  const common = { dataSourceId: source.id, accessibleFromDashboards: true }
  const parameters = [{ name: 'station', type: 'string', required: true }]
  const one = await post(stage, '/dataQueries', {
    ...common,
    name: 'Levels of a station',
    text: STATIONS_TEXT,
    parameters,
  })
  const all = await post(stage, '/dataQueries', {
    ...common,
    name: 'All levels',
    text: 'SELECT day, level FROM levels',
  })
  await post(stage, '/dataQueries', { ...common, name: 'Draft', text: 'SELECT day FROM levels' })
  for (const { id } of [one, all]) await post(stage, `/dataQueries/${id}/publish`, {})
  return { one: one.id, all: all.id }
}

onMainHost(
  'widgets',
  (stage) => {
    test(
      'a widget runs its script after a question, with a file, and shows how the run goes',
      async () => {
        const { scriptId, configurationId, runner } = await stageOf(stage.client)
        await good(
          stage.client.request('PATCH', `/scripts/${scriptId}`, { json: { acceptedFiles: ['text/plain'] } }),
        )
        const script = {
          kind: 'script',
          title: 'Import',
          scriptId,
          runConfigurationId: configurationId,
          label: 'Import the orders',
          confirm: 'The orders of the day are replaced.',
          upload: { accept: ['text/plain'], maxFiles: 1 },
        }
        // Everyone may read its dashboards, and run nothing.
        const group = await post(stage, '/dashboards/groups', { name: 'Shop' })
        await good(
          stage.client.request('PUT', `/dashboards/groups/${group.id}/grants`, {
            json: { items: [{ subjectType: 'everyone' }] },
          }),
        )
        const again = { ...script, title: 'Again', label: 'Import again', confirm: '', upload: null }
        await makeBoard(stage, { name: 'Orders', widgets: { script, again } }, { groupId: group.id })
        await stage.visit('dashboards/orders', {}, async ({ page, check }) => {
          const widget = page.getByRole('region', { name: 'Import', exact: true })
          await widget.getByText('No run yet').waitFor()
          await widget.getByRole('button', { name: 'Import the orders' }).click()
          const dialog = page.getByRole('dialog', { name: 'Import the orders' })
          await dialog.getByText('The orders of the day are replaced.').waitFor()
          const file = { name: 'orders.txt', mimeType: 'text/plain', buffer: Buffer.from('1;north\n') }
          await dialog.getByLabel('Files').setInputFiles(file)
          await check('question')
          await dialog.getByRole('button', { name: 'Run' }).click()
          await dialog.waitFor({ state: 'detached' })
          await widget.getByText('Waits').waitFor()
          const held = await runner.next()
          await held.begin()
          await widget.getByText('Running').waitFor()
          await must(held.finish({ outcome: 'succeeded', exitCode: 0, logLines: 0 }))
          await widget.getByText('Succeeded').waitFor()
          await check('run')
          const run = widget.getByRole('link', { name: 'Open the run' })
          expect(await run.getAttribute('href')).toContain(`scripts/${scriptId}/jobs/${held.id}`)
          // A second click while the run is ordered orders no second one.
          const orders = await heldAnswers(page, /\/widgets\/again\//, 'POST')
          await page.getByRole('button', { name: 'Import again' }).dblclick()
          orders.end()
          await page.getByRole('region', { name: 'Again', exact: true }).getByText('Waits').waitFor()
          expect(orders.count()).toBe(1)
        })
        await stage.visit('dashboards/orders', { as: 'dashboard_viewer' }, async ({ page }) => {
          const button = page.getByRole('button', { name: 'Import the orders' })
          await button.waitFor()
          expect(await button.getAttribute('aria-disabled')).toBe('true')
        })
      },
      TEST_MAX_MS,
    )

    test(
      'the columns of a widget are chosen among the columns of its data query, and typed while these are not known',
      async () => {
        const { all } = await makeQueries(stage)
        const group = await post(stage, '/dashboards/groups', { name: 'Gauges' })
        await good(
          stage.client.request('PUT', `/dashboards/groups/${group.id}/grants`, {
            json: { items: [{ subjectType: 'everyone', write: true }] },
          }),
        )
        const stored = {
          kind: 'chart',
          title: 'Stored',
          dataQueryId: all,
          type: 'line',
          x: 'day',
          y: ['gone'],
        }
        const board = await makeBoard(stage, { name: 'Gauges', widgets: { stored } }, { groupId: group.id })
        await stage.visit('dashboards/gauges', {}, async ({ page, check }) => {
          const dialog = page.getByRole('dialog')
          const choice = (name: string) => dialog.getByRole('combobox', { name, exact: true })
          const optionsOf = (name: string) => choice(name).getByRole('option').allTextContents()
          await page.getByRole('button', { name: 'Edit', exact: true }).click()
          await page.getByRole('button', { name: 'Configure Stored' }).click()
          await dialog.getByText('The data query has no column gone').waitFor()
          await dialog.getByRole('button', { name: 'Remove: gone' }).click()
          await choice('Columns of the values').selectOption('level')
          await dialog.getByRole('button', { name: 'Remove: level' }).waitFor()
          expect(await choice('Column of the axis').inputValue()).toBe('day')
          expect(await optionsOf('Column of the axis')).toEqual(['day', 'level'])
          await dialog.getByRole('button', { name: 'Apply' }).click()

          const add = async (kind: string, query: string): Promise<void> => {
            await page.getByRole('button', { name: 'Add a widget' }).click()
            await dialog.getByRole('button', { name: kind, exact: true }).click()
            await dialog.getByLabel('Data query').selectOption(query)
          }
          // Its columns are known without the value that it needs.
          await add('Chart', 'Levels of a station')
          await dialog.getByRole('button', { name: 'Remove: level' }).waitFor()
          expect(await choice('Column of the axis').inputValue()).toBe('day')
          expect(await optionsOf('Split by')).toEqual(['none', 'station', 'day', 'level', 'lat', 'lon'])
          expect(await choice('Forecast').locator('option:checked').textContent()).toBe('none')
          await check('columns')
          await choice('Columns of the values').selectOption('lat')
          await choice('Split by').selectOption('station')
          await dialog.getByRole('button', { name: 'Apply' }).click()
          await add('Chart', 'Draft')
          await dialog.getByRole('textbox', { name: 'Column of the axis' }).fill('typed')
          await dialog.getByRole('button', { name: 'Apply' }).click()
          await page.getByRole('button', { name: 'Save', exact: true }).click()
          await page.getByText('Saved', { exact: true }).waitFor()
        })
        const { definition } = await good<{ readonly definition: { readonly widgets: object } }>(
          stage.client.request('GET', `/dashboards/${board.id}`),
        )
        expect(definition.widgets).toMatchObject({
          stored: { x: 'day', y: ['level'] },
          chart1: { x: 'day', y: ['level', 'lat'], split: 'station' },
          chart2: { x: 'typed', y: ['y'] },
        })

        // A user who reads no data queries has the columns that the dashboard shows.
        await stage.visit('dashboards/gauges', { as: 'editor' }, async ({ page }) => {
          await page.getByRole('button', { name: 'Edit', exact: true }).click()
          await page.getByRole('button', { name: 'Configure Stored' }).click()
          const axis = page.getByRole('combobox', { name: 'Column of the axis' })
          expect(await axis.getByRole('option').allTextContents()).toEqual(['day', 'level'])
        })
      },
      TEST_MAX_MS,
    )

    test(
      'a group of dashboards is deleted after the dashboards that show them are named',
      async () => {
        const group = await post(stage, '/dashboards/groups', { name: 'Storms' })
        const inner = await makeBoard(
          stage,
          { name: 'Surge', widgets: { note: NOTE } },
          { groupId: group.id },
        )
        const embedded = { kind: 'dashboard', title: 'Surge', dashboardId: inner.id }
        await makeBoard(stage, { name: 'Desk', widgets: { embedded } })
        await stage.visit(`dashboards?group=${group.id}`, {}, async ({ page, check, expectProblem }) => {
          expectProblem(/status of 409/)
          await page.getByRole('link', { name: 'Surge' }).waitFor()
          await page.getByRole('button', { name: 'More for Storms' }).click()
          await page.getByRole('menuitem', { name: 'Delete' }).click()
          const dialog = page.getByRole('dialog')
          await dialog.getByText('The group is deleted and 1 dashboard with its versions.').waitFor()
          const submit = dialog.getByRole('button', { name: 'Delete', exact: true })
          await submit.click()
          await dialog.getByRole('alert').getByText('the widget embedded of dashboard').waitFor()
          expect(await submit.getAttribute('aria-disabled')).toBe('true')
          await check('delete-group')
          await dialog.getByLabel('Delete it all the same').check()
          await submit.click()
          await dialog.waitFor({ state: 'detached' })
          await page.getByRole('link', { name: 'Desk' }).waitFor()
          await page.getByRole('link', { name: 'Storms' }).waitFor({ state: 'detached' })
        })
        expect((await stage.client.request('GET', `/dashboards/${inner.id}`)).status).toBe(404)
      },
      TEST_MAX_MS,
    )
  },
  { variables: { TIDEMARK_RUNNER_TOKEN: RUNNER_TOKEN } },
)
