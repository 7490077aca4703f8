import { expect, test } from 'bun:test'

import { good } from '../api/suite.ts'
import { onMainHost } from './stage.ts'

const JOURNEY_MAX_MS = 180_000
const CONFIGURATION = {
  format: 1,
  dataSources: [{ settings: { name: 'Archive', type: 'csv' }, notes: [], scopes: [] }],
}

onMainHost(
  'data',
  (stage) => {
    test('a failed connection is named before a source is created, and a deletion names what depends on it', () =>
      stage.visit('data', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/503/)
        await page.getByText('No data sources yet').waitFor()
        await check('none')
        await page.getByRole('button', { name: 'New data source' }).first().click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Name', { exact: true }).fill('Shop')
        await dialog.getByLabel('Host').fill('127.0.0.1')
        await dialog.getByLabel('Port').fill('9')
        await dialog.getByLabel('Database', { exact: true }).fill('shop')
        await dialog.getByLabel('User', { exact: true }).fill('reader')
        await dialog.getByLabel('Password').fill('secret')
        await dialog.getByLabel('Encryption').selectOption('disable')
        await dialog.getByRole('button', { name: 'Test connection' }).click()
        await dialog.getByText('The database could not be reached').waitFor()
        await check('connection')
        await dialog.getByRole('button', { name: 'Create' }).click()
        await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
        await page.getByText('The tables could not be read').waitFor()
        const id = Number(page.url().split('/').at(-1))
        await good(
          stage.client.request('POST', '/dataQueries', {
            json: { name: 'Sales', dataSourceId: id, text: 'SELECT 1' },
          }),
        )
        await page.getByRole('tab', { name: 'Settings' }).click()
        await page.getByText('127.0.0.1:9/shop').waitFor()
        await check('settings')
        await page.getByRole('button', { name: 'More for Shop' }).click()
        await page.getByRole('menuitem', { name: 'Delete' }).click()
        await page.getByText('1 data query reads it').waitFor()
        await check('delete')
        await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
        await page.getByText('No data sources yet').waitFor()
      }))

    test('the configuration of sources is imported from a file, and replaces none unasked', () =>
      stage.visit('data', {}, async ({ page, check }) => {
        const openDialog = async (): Promise<void> => {
          await page.getByRole('button', { name: 'More for data sources' }).click()
          await page.getByRole('menuitem', { name: 'Import configuration' }).click()
        }
        const dialog = page.getByRole('dialog')
        const choose = (content: unknown) =>
          dialog.locator('input[type=file]').setInputFiles({
            name: 'data-sources.json',
            mimeType: 'application/json',
            buffer: Buffer.from(JSON.stringify(content)),
          })
        await openDialog()
        await choose({ other: true })
        await dialog.getByText('has no configuration of data sources').waitFor()
        await choose(CONFIGURATION)
        await dialog.getByRole('button', { name: 'Import 1 source' }).click()
        await dialog.getByText('1 source is imported').waitFor()
        await dialog.getByRole('button', { name: 'Close' }).click()
        await page.getByRole('link', { name: 'Archive' }).waitFor()
        await check('list')
        await openDialog()
        await choose(CONFIGURATION)
        await dialog.getByText('is there already').waitFor()
        const submit = dialog.getByRole('button', { name: 'Import 1 source' })
        expect(await submit.getAttribute('aria-disabled')).toBe('true')
        await check('configuration')
        await dialog.getByText('Replace those that are there').click()
        await submit.click()
        await dialog.getByText('replaced', { exact: true }).waitFor()
      }))

    test(
      'a file is previewed, corrected and imported; its faults are named by line and column',
      () =>
        stage.visit('data/new/import', {}, async ({ page, check, expectProblem }) => {
          expectProblem(/422/)
          const choose = (lines: readonly string[]) =>
            page.locator('input[type=file]').setInputFiles({
              name: 'Pump hours.csv',
              mimeType: 'text/csv',
              buffer: Buffer.from(lines.join('\n')),
            })
          await page.getByLabel('Into').selectOption({ label: 'A new set of tables' })
          await choose(['id;station;hours', '007;Harlingen;3,5', '008;Den Oever;4', '009;;x'])
          await page.getByText('3 records, 3 columns').waitFor()
          await page.getByText('Found: semicolon').waitFor()
          await page.getByText('Line 2: a number would lose the zeros at the begin').waitFor()
          await check('preview')
          await page.getByText('Numbers, dates and empty values').click()
          await page.getByLabel('Numbers', { exact: true }).selectOption({ label: 'with a comma: 1,5' })
          await page.getByLabel('Name for station').fill('place')
          await page.getByLabel('Type of hours').selectOption('number')
          await page.getByRole('button', { name: 'Import 3 records' }).click()
          await page.getByText('The file was not imported').waitFor()
          const fault = page.getByRole('table').filter({ hasText: 'Fault' }).getByRole('row').nth(1)
          const [line, column] = await fault.getByRole('cell').allTextContents()
          expect([line, column]).toEqual(['4', 'hours'])
          await check('faults')
          await page.getByText('Leave out records with faults').click()
          await page.getByRole('button', { name: 'Import 3 records' }).click()
          await page.getByText('pump_hours has 2 rows').waitFor()
          await page.getByText('1 record was left out').waitFor()
          await check('imported')
          await page.getByRole('link', { name: 'All tables' }).click()
          await page.getByText('pump_hours').waitFor()
          await check('tables')
        }),
      JOURNEY_MAX_MS,
    )

    test('a user whose role reads no data learns which roles do', () =>
      stage.visit('data', { as: 'editor' }, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 403/)
        await page.getByText('You do not have the right for this').waitFor()
        await check('no-right')
      }))
  },
  { variables: { TIDEMARK_OUTBOUND_ALLOW: '127.0.0.1' } },
)
