import { expect, test } from 'bun:test'

import { good } from '../api/suite.ts'
import { onMainHost } from './stage.ts'

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

    test('a user whose role reads no data learns which roles do', () =>
      stage.visit('data', { as: 'editor' }, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 403/)
        await page.getByText('You do not have the right for this').waitFor()
        await check('no-right')
      }))
  },
  { variables: { TIDEMARK_OUTBOUND_ALLOW: '127.0.0.1' } },
)
