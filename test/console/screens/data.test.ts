import { expect, test } from 'bun:test'

import { good } from '../../api/suite.ts'
import { readUntil, until } from '../../until.ts'
import { heldAnswers } from '../held-answers.ts'
import { onMainHost } from '../stage.ts'

/** More than the page holds at once. */
const ROWS = 10_200
/** Rows that may be in the page at once. */
const DRAWN_MAX = 300
const MARGIN_PX = 16
const JOURNEY_MAX_MS = 300_000
/** How long a look at the bar waits for it. */
const READ_MAX_MS = 1_000
/** The import of so many lines takes seconds. */
const LONG_FILE_LINES = 1_600_000
/** How late a result is that should have been computed. */
const LATE_MS = 5 * 60_000
const CONFIGURATION = {
  format: 1,
  dataSources: [{ settings: { name: 'Archive', type: 'csv' }, notes: [], scopes: [] }],
}

onMainHost(
  'data',
  (stage) => {
    test('a failed connection is named before a source is created, and a deletion names what depends on it', () =>
      stage.visit('data', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/503|409/)
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
        const query = await good<{ readonly id: number }>(
          stage.client.request('POST', '/dataQueries', {
            json: { name: 'Sales', dataSourceId: id, text: 'SELECT 1' },
          }),
        )
        await page.getByRole('tab', { name: 'Settings' }).click()
        await page.getByText('127.0.0.1:9/shop').waitFor()
        await check('settings')
        await page.getByRole('button', { name: 'More for Shop' }).click()
        await page.getByRole('menuitem', { name: 'Delete' }).click()
        await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
        await dialog.getByRole('alert').getByText('Sales').waitFor()
        await check('delete')
        await dialog.getByLabel('Delete it all the same').check()
        await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
        await page.getByText('No data sources yet').waitFor()
        await stage.client.request('DELETE', `/dataQueries/${query.id}`)
      }))

    test('a menu has the same distance from both sides of a narrow window', () =>
      stage.visit('data', { width: 'narrow' }, async ({ page }) => {
        await page.getByRole('button', { name: 'More for data sources' }).click()
        const box = await page.locator('.pagehead .menu ul').boundingBox()
        const { width = 0 } = page.viewportSize() ?? {}
        expect(box?.x).toBe(MARGIN_PX)
        expect(box && width - box.x - box.width).toBe(MARGIN_PX)
      }))

    test('the tools of a table stay in their place when the next read lasts longer', async () => {
      const post = (path: string, json: object) =>
        good<{ readonly id: number }>(stage.client.request('POST', path, { json }))
      const { id } = await post('/dataSources', { name: 'Gauges', type: 'csv' })
      await post(`/dataSources/${id}/tables`, {
        name: 'gauges',
        columns: [{ name: 'level', type: 'number' }],
      })
      await stage.visit('data', { width: 'narrow' }, async ({ page }) => {
        let durationMs = 3
        await page.route(/\/select\b/, async (route) => {
          const response = await route.fetch()
          await route.fulfill({ response, json: { ...((await response.json()) as object), durationMs } })
        })
        await page.goto(`${stage.url}/ui/data/${id}/tables/gauges`)
        await page.getByText(/ 3 ms$/).waitFor()
        const tools = page.getByRole('button', { name: 'Export' })
        const before = await tools.boundingBox()
        durationMs = 123_456_789
        await page.getByRole('button', { name: 'Read again' }).click()
        await page.getByText(/ 123,456,789 ms$/).waitFor()
        expect(await tools.boundingBox()).toEqual(before)
      })
      await good(stage.client.request('DELETE', `/dataSources/${id}`))
    })

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
          const cells = fault.getByRole('cell')
          expect((await cells.allTextContents()).slice(1)).toEqual(['4', 'hours'])
          // In a narrow window the first cell stands alone, and each other cell has its title.
          expect(await cells.nth(1).getAttribute('data-title')).toBe('Line')
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

    test(
      'the progress of an import grows, its end by hand leaves no table, and a fault late in the file has its line',
      async () => {
        const { client } = stage
        const { id } = await good<{ readonly id: number }>(
          client.request('POST', '/dataSources', { json: { name: 'Long files', type: 'csv' } }),
        )
        const lines = Array.from({ length: LONG_FILE_LINES }, (_, at) => `${at + 1},Harlingen,${at % 400}`)
        const text = ['id,station,level', ...lines, `${LONG_FILE_LINES + 1},Texel,high`].join('\n')
        await stage.visit(`data/${id}/import`, {}, async ({ page, check }) => {
          const ended: string[] = []
          page.on('request', (request) => {
            const { pathname } = new URL(request.url())
            if (request.method() === 'DELETE' && pathname.includes('/operations/')) ended.push(pathname)
          })
          await page
            .locator('input[type=file]')
            .setInputFiles({ name: 'long.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
          await page.getByLabel('Type of level').selectOption('number')
          const start = page.getByRole('button', { name: /^Import [\d,]+ records$/ })
          const bar = page.getByRole('progressbar', { name: 'The rows are being imported' })
          const shareNow = async () =>
            Number(await bar.getAttribute('aria-valuenow', { timeout: READ_MAX_MS }))
          const grows = async () => {
            await start.click()
            await bar.waitFor()
            const first = await shareNow()
            while ((await bar.count()) > 0) if ((await shareNow().catch(() => first)) > first) return true
            return false
          }
          const stateOf = async (operation: string) =>
            (await client.request('GET', operation.slice(operation.indexOf('/operations/')))).body['state']
          // An import may end between two looks at it, or before it is cancelled: it is started again then.
          await until(async () => {
            ended.length = 0
            if (!(await grows())) return false
            await page
              .getByRole('button', { name: 'Cancel' })
              .click({ timeout: READ_MAX_MS })
              .catch(() => undefined)
            await start.waitFor()
            await until(async () => ended.length === 1 || (await bar.count()) === 0)
            expect(ended.length).toBeLessThan(2)
            const [operation] = ended
            if (operation === undefined) return false
            await until(async () => (await stateOf(operation)) !== 'running')
            return (await stateOf(operation)) === 'cancelled'
          })
          expect(await good<readonly unknown[]>(client.request('GET', `/dataSources/${id}/tables`))).toEqual(
            [],
          )

          await start.click()
          await bar.waitFor()
          await page.getByText('The file was not imported').waitFor()
          const fault = page.getByRole('table').filter({ hasText: 'Fault' }).getByRole('row').nth(1)
          const [, line, column] = await fault.getByRole('cell').allTextContents()
          expect([line?.replaceAll(/\D/g, ''), column]).toEqual([String(LONG_FILE_LINES + 2), 'level'])
          await check('import-fault')
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'a file is dropped, becomes a table, and is filtered, sorted, edited and exported',
      async () => {
        const { id } = await good<{ readonly id: number }>(
          stage.client.request('POST', '/dataSources', { json: { name: 'Levels', type: 'csv' } }),
        )
        const lines = Array.from({ length: ROWS }, (_, at) => {
          const station = ['Harlingen', 'Den Oever', 'Lauwersoog'][at % 3]
          return `${at + 1},${station},${(at % 400) / 100},2026-11-25T${String(at % 24).padStart(2, '0')}:00:00Z`
        })
        await stage.visit(`data/${id}/import`, {}, async ({ page, check, expectProblem }) => {
          expectProblem(/422|412/)
          // The page hears of a drop as a browser tells it.
          const text = JSON.stringify(['id,station,level,measured_at', ...lines].join('\n'))
          const dropped = await page.evaluateHandle(`(() => {
            const files = new DataTransfer()
            files.items.add(new File([${text}], 'levels.csv', { type: 'text/csv' }))
            return files
          })()`)
          await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped })
          await page.getByRole('button', { name: 'Import 10,200 records' }).click()
          await page.getByText('levels has 10,200 rows').waitFor()
          await page.getByRole('link', { name: 'Open the table' }).click()
          await page.getByText('the first 10,000 rows of 10,200').waitFor()
          const grid = page.getByRole('grid', { name: 'Rows of levels' })
          expect(await grid.getByRole('row').count()).toBeLessThan(DRAWN_MAX)
          await grid.focus()
          await page.keyboard.press('Control+End')
          await grid.getByText('10000', { exact: true }).first().waitFor()
          expect(await grid.getByRole('row').count()).toBeLessThan(DRAWN_MAX)
          await check('grid')

          await page.getByRole('button', { name: 'Filter' }).click()
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Column of condition 1').selectOption('level')
          await dialog.getByLabel('Operator of condition 1').selectOption('ge')
          await dialog.getByLabel('Value of condition 1').fill('high')
          await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
          await dialog.getByText('must be a number').waitFor()
          await dialog.getByLabel('Value of condition 1').fill('3.9')
          await dialog.getByRole('button', { name: 'Add condition' }).click()
          await dialog.getByLabel('Column of condition 2').selectOption('station')
          await dialog.getByLabel('Value of condition 2').fill('harl')
          await check('filter')
          await dialog.getByRole('button', { name: 'Apply', exact: true }).click()
          await page.getByText(/^84 rows/).waitFor()
          await grid.getByRole('button', { name: 'id' }).click()
          await grid.getByRole('button', { name: 'id' }).click()
          await grid.getByRole('row').nth(1).getByText('10000', { exact: true }).waitFor()

          await grid.focus()
          await page.keyboard.press('Control+Home')
          await page.keyboard.press('Enter')
          await dialog.getByText('one row has these values').waitFor()
          await dialog.getByLabel('station').fill('Harlingen lock')
          await check('row')
          // A row of another user comes to the place of the one that is edited, and stays as it is.
          const other = { id: 10300, station: 'Harlingen', level: 3.95, measured_at: '2026-11-25T00:00:00Z' }
          await good(
            stage.client.request('POST', `/dataSources/${id}/tables/levels/rows`, {
              json: { rows: [other] },
            }),
          )
          await dialog.getByRole('button', { name: 'Save' }).click()
          await dialog.getByText('The rows were changed meanwhile').waitFor()
          await page.getByText(/^85 rows/).waitFor()
          await dialog.getByRole('button', { name: 'Save' }).click()
          await dialog.waitFor({ state: 'detached' })
          await grid.getByText('Harlingen lock').waitFor()

          await page.getByRole('button', { name: 'Export' }).click()
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('menuitem', { name: 'All as CSV' }).click(),
          ])
          expect(download.suggestedFilename()).toBe('levels.csv')
          const exported = (await Bun.file(await download.path()).text()).trim().split('\r\n')
          expect(exported.length).toBe(86)
          expect(exported[1]).toContain('10300,Harlingen,3.95')
          expect(exported[2]).toContain('10000,Harlingen lock,3.99')
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'columns are added, retyped and removed, and a row is inserted and deleted',
      async () => {
        const { id } = await good<{ readonly id: number }>(
          stage.client.request('POST', '/dataSources', { json: { name: 'Prices', type: 'csv' } }),
        )
        await stage.visit(`data/${id}`, {}, async ({ page, check }) => {
          const dialog = page.getByRole('dialog')
          await page.getByText('Import a file: it becomes a table.').waitFor()
          await page.getByRole('button', { name: 'More for Prices' }).click()
          await page.getByRole('menuitem', { name: 'New empty table' }).click()
          await dialog.getByLabel('Name of the table').fill('prices')
          await dialog.getByLabel('Column 1', { exact: true }).fill('article')
          await dialog.getByRole('button', { name: 'Create' }).click()
          await page.getByText('No rows yet').waitFor()
          await page.getByRole('tab', { name: 'Columns' }).click()
          await page.getByRole('button', { name: 'Add column' }).click()
          await dialog.getByLabel('Name', { exact: true }).fill('price')
          await dialog.getByRole('button', { name: 'Save' }).click()
          await page.getByRole('button', { name: 'Edit price' }).click()
          await dialog.getByLabel('Type').selectOption('number')
          await dialog.getByRole('button', { name: 'Save' }).click()
          await page.getByRole('row', { name: /price number/ }).waitFor()
          await check('columns')
          await page.getByRole('tab', { name: 'Rows' }).click()
          await page.getByRole('button', { name: 'Insert row' }).click()
          await dialog.getByLabel('article', { exact: true }).fill('Valve')
          await dialog.getByRole('button', { name: 'Insert' }).click()
          const grid = page.getByRole('grid')
          await grid.getByText('Valve').dblclick()
          await dialog.getByRole('button', { name: 'Delete row' }).click()
          await dialog.getByText('The row with article = Valve is deleted.').waitFor()
          await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
          await page.getByText('No rows yet').waitFor()
          await page.getByRole('tab', { name: 'Columns' }).click()
          await page.getByRole('button', { name: 'Delete price' }).click()
          await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
          await page.getByRole('row', { name: /price/ }).waitFor({ state: 'detached' })
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'a scope limits a user to some rows and columns, within which rows are edited, and the preview names it as the reason',
      async () => {
        const { client } = stage
        const { id } = await good<{ readonly id: number }>(
          client.request('POST', '/dataSources', { json: { name: 'Orders', type: 'csv' } }),
        )
        const columns = ['id', 'region', 'margin', 'note'].map((name) => ({ name, type: 'string' }))
        await good(client.request('POST', `/dataSources/${id}/tables`, { json: { name: 'orders', columns } }))
        const rows = ['north', 'south'].map((region, at) => ({
          id: `${at + 1}`,
          region,
          margin: '5',
          note: 'new',
        }))
        await good(client.request('POST', `/dataSources/${id}/tables/orders/rows`, { json: { rows } }))
        const user = { username: 'mara', password: 'a long password of Mara', role: 'Data_Editor' }
        await good(client.request('POST', '/users', { json: user }))
        await stage.visit(`data/${id}?tab=scopes`, {}, async ({ page, check }) => {
          const dialog = page.getByRole('dialog')
          await page.getByLabel('What does this user see?').selectOption('mara (data editor)')
          await page.getByText('the table has no scopes').waitFor()
          await page.getByRole('button', { name: 'New scope' }).click()
          await dialog.getByLabel('Name', { exact: true }).fill('North')
          await dialog.getByLabel('Tables').selectOption('orders')
          await dialog.getByRole('button', { name: 'Add condition' }).click()
          await dialog.getByLabel('Column of condition 1').selectOption('region')
          await dialog.getByLabel('Operator of condition 1').selectOption('ne')
          await dialog.getByLabel('Value of condition 1').fill('south')
          await dialog.getByLabel('Hidden columns').selectOption('margin')
          await dialog.getByRole('button', { name: 'read and edit' }).click()
          await check('scope')
          await dialog.getByRole('button', { name: 'Save' }).click()
          await page.getByText('North: applies by role').waitFor()
          await page.locator('.within').getByText('region is not south').first().waitFor()
          await page.getByText('without margin').first().waitFor()
          await check('scopes')
        })
        // Within the scope rows are edited; a row cannot leave it.
        await stage.visit(
          `data/${id}/tables/orders`,
          { as: 'Data_Editor' },
          async ({ page, expectProblem }) => {
            expectProblem(/status of 403/)
            const dialog = page.getByRole('dialog')
            const grid = page.getByRole('grid', { name: 'Rows of orders' })
            await page.getByText(/^1 row/).waitFor()
            expect(await grid.getByRole('columnheader').allTextContents()).not.toContain('margin')
            await grid.focus()
            await page.keyboard.press('Control+Home')
            await page.keyboard.press('Enter')
            await dialog.getByLabel('region').fill('south')
            await dialog.getByRole('button', { name: 'Save' }).click()
            await dialog
              .getByText(/outside of the scope/)
              .first()
              .waitFor()
            await dialog.getByLabel('region').fill('north')
            await dialog.getByLabel('note').fill('sent on Monday')
            await dialog.getByRole('button', { name: 'Save' }).click()
            await dialog.waitFor({ state: 'detached' })
            await grid.getByText('sent on Monday').waitFor()
          },
        )
        await stage.visit(`data/${id}?tab=scopes`, {}, async ({ page }) => {
          const dialog = page.getByRole('dialog')
          await page.getByLabel('What does this user see?').selectOption('mara (data editor)')
          await page.getByRole('button', { name: 'Delete North' }).click()
          await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
          await page.getByText('the table has no scopes').waitFor()
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'a data query is written with a parameter, run, stored with a fault, mended while it is stored, published and restored',
      async () => {
        const { client } = stage
        const { id } = await good<{ readonly id: number }>(
          client.request('POST', '/dataSources', { json: { name: 'Sales', type: 'csv' } }),
        )
        const columns = [
          { name: 'region', type: 'string' },
          { name: 'amount', type: 'number' },
        ]
        await good(client.request('POST', `/dataSources/${id}/tables`, { json: { name: 'orders', columns } }))
        const rows = [
          { region: 'north', amount: 10.5 },
          { region: 'south', amount: 20 },
        ]
        await good(client.request('POST', `/dataSources/${id}/tables/orders/rows`, { json: { rows } }))
        await stage.visit('queries', {}, async ({ page, check, expectProblem }) => {
          expectProblem(/status of 412/)
          const dialog = page.getByRole('dialog')
          await page.getByText('No data queries yet').waitFor()
          await page.getByRole('link', { name: 'New data query' }).first().click()
          await page.getByLabel('Name', { exact: true }).fill('Amounts')
          await page.getByLabel('Data source').selectOption('Sales')
          const text = page.locator('.code-editor').getByRole('textbox', { name: 'SQL' })
          // A browser keeps the style of text that is typed over, which the content policy reports.
          const write = async (sql: string): Promise<void> => {
            await text.press('Control+A')
            await text.press('Delete')
            await page.keyboard.insertText(sql)
          }
          await write('SELECT amount FROM orders WHERE region = ${region}')
          await page.getByRole('button', { name: 'Add parameter' }).click()
          await dialog.getByLabel('Name', { exact: true }).fill('region')
          await dialog.getByLabel('Default').fill('north')
          await dialog.getByRole('button', { name: 'Apply' }).click()
          // A single key of the page does nothing in the editor, where it is a letter.
          await text.press('End')
          await page.keyboard.type(' and am')
          await page.getByRole('option', { name: 'amount' }).click()
          await page.keyboard.type(' > 0 AN')
          await page.getByRole('option', { name: 'AND', exact: true }).click()
          // In a template the parameters complete, not the columns.
          await page.keyboard.type(' region = ${re')
          await page.locator('li:has(.cm-completionIcon-variable)', { hasText: 'region' }).click()
          await text.press('Control+Enter')
          const grid = page.getByRole('grid', { name: 'Result' })
          await grid.getByText('10.5').waitFor()
          await page.getByLabel('region', { exact: true }).fill('south')
          await page.getByRole('button', { name: 'Run' }).click()
          await grid.getByText('20', { exact: true }).waitFor()
          await check('query')
          await write('SELECT amount FROM orders WHERE region = ${regio}')
          await page.getByRole('button', { name: 'Save draft' }).dblclick()
          await page.getByRole('heading', { level: 1, name: 'Amounts' }).waitFor()
          await page.getByText('The draft is stored all the same').waitFor()
          await check('query-fault')
          // A second click while the draft is stored stores it no second time, and what is typed meanwhile stays.
          const saves = await heldAnswers(page, /\/dataQueries\/\d+$/, 'PUT')
          const mended = 'SELECT amount FROM orders WHERE region = ${region}'
          await write(mended)
          await page.getByRole('button', { name: 'Save draft' }).dblclick()
          await text.press('End')
          await page.keyboard.insertText(' LIMIT 9')
          saves.end()
          await page.getByRole('button', { name: 'Save draft', disabled: false }).click()
          await page.getByRole('button', { name: 'Publish', disabled: false }).waitFor()
          expect(saves.count()).toBe(2)
          expect(await page.getByText('The draft is stored all the same').count()).toBe(0)
          // Another user stores another text meanwhile, and the user takes it.
          const path = `/dataQueries/${page.url().split('/').at(-1)}`
          expect(await good(client.request('GET', path))).toMatchObject({ text: `${mended} LIMIT 9` })
          await good(client.request('PATCH', path, { json: { text: 'SELECT 2' } }))
          await text.press('End')
          await page.keyboard.insertText('9')
          await page.getByRole('button', { name: 'Save draft' }).click()
          await page.getByText('Another user has saved it meanwhile').waitFor()
          await check('query-conflict')
          await page.getByRole('button', { name: 'Take theirs' }).click()
          await text.getByText('SELECT 2', { exact: true }).waitFor()
          await write(`${mended} LIMIT 9`)
          await page.getByRole('button', { name: 'Save draft' }).click()
          await page.getByRole('button', { name: 'Publish', disabled: false }).click()
          await dialog.getByRole('button', { name: 'Publish' }).click()
          await page.getByRole('button', { name: 'To draft: version 1' }).waitFor()
          await write('SELECT 1')
          await page.getByRole('button', { name: 'To draft: version 1' }).dblclick()
          await page.getByText('Version 1 is the draft now').waitFor()
          expect(await text.textContent()).toContain('${region}')
          await page.getByRole('button', { name: /^Undo/ }).click()
          await text.getByText('SELECT 1', { exact: true }).waitFor()
          await page.getByRole('button', { name: 'To draft: version 1' }).click()
          await text.getByText('${region}').waitFor()
          await page.getByRole('link', { name: 'Data queries' }).first().click()
          await page.getByRole('link', { name: 'Amounts' }).waitFor()
          await check('queries')
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'the plan of a data query is a tree, in which each step has the steps that it reads; once it has run it has the rows',
      async () => {
        const { client } = stage
        const post = (path: string, json: object) =>
          good<{ readonly id: number }>(client.request('POST', path, { json }))
        const { id } = await post('/dataSources', { name: 'Joined', type: 'csv' })
        for (const name of ['gates', 'locks']) {
          await post(`/dataSources/${id}/tables`, { name, columns: [{ name: 'lock', type: 'string' }] })
          await post(`/dataSources/${id}/tables/${name}/rows`, {
            rows: [{ lock: 'north' }, { lock: 'south' }],
          })
        }
        const query = await post('/dataQueries', {
          name: 'Gates of locks',
          dataSourceId: id,
          text: 'SELECT gates.lock FROM gates JOIN locks USING (lock) ORDER BY 1',
        })
        await stage.visit(`queries/${query.id}`, {}, async ({ page, check }) => {
          const dialog = page.getByRole('dialog', { name: 'Plan' })
          await page.getByRole('button', { name: 'Plan', exact: true }).click()
          const plan = dialog.getByRole('list', { name: 'Plan' })
          const read = plan.getByRole('list').getByRole('listitem')
          for (const table of ['gates', 'locks']) await read.filter({ hasText: table }).last().waitFor()
          const counted = plan.getByText(/(^|· )2 rows( ·|$)/)
          const ofWhole = dialog.getByText('SQLite counts the rows of the whole result', { exact: false })
          expect([await counted.count(), await ofWhole.count()]).toEqual([0, 0])
          await check('plan')
          await dialog.getByLabel('Run it, for the rows and the duration of each step').check()
          await counted.first().waitFor()
          // Imported tables are in DuckDB on Bun, and in SQLite on workerd.
          await ofWhole.waitFor({ state: stage.name === 'edge' ? 'visible' : 'detached' })
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'a table and a column have comments, stale data one note, and a result says its duration and that it is cut',
      async () => {
        const { client } = stage
        const { id } = await good<{ readonly id: number }>(
          client.request('POST', '/dataSources', { json: { name: 'Digits', type: 'csv' } }),
        )
        const columns = [{ name: 'digit', type: 'integer' }]
        await good(client.request('POST', `/dataSources/${id}/tables`, { json: { name: 'digits', columns } }))
        const rows = Array.from({ length: 10 }, (_, digit) => ({ digit }))
        await good(client.request('POST', `/dataSources/${id}/tables/digits/rows`, { json: { rows } }))
        await stage.visit(`data/${id}`, {}, async ({ page, expectProblem }) => {
          expectProblem(/503/)
          const dialog = page.getByRole('dialog')
          const comment = async (name: string, text: string): Promise<void> => {
            await page.getByRole('button', { name: `Comment on ${name}`, exact: true }).click()
            await dialog.getByLabel('Comment').fill(text)
            await dialog.getByRole('button', { name: 'Save' }).click()
            await page.getByText(text).waitFor()
          }
          await comment('digits', 'All figures')
          await page.getByRole('link', { name: 'digits' }).click()
          await page.getByRole('tab', { name: 'Columns' }).click()
          await comment('digit', 'From nought to nine')
          await page.getByRole('link', { name: 'New data query' }).click()
          await page.getByRole('button', { name: 'Run' }).click()
          await page.getByRole('gridcell', { name: '9', exact: true }).waitFor()
          expect(await page.getByLabel('Data source').locator('option:checked').textContent()).toBe('Digits')

          // The source and its tables cannot be read: the page has one note of it.
          await page.goto(`${stage.url}/ui/data/${id}`)
          await page.getByRole('link', { name: 'digits' }).waitFor()
          const failed: string[] = []
          await page.route(new RegExp(`/dataSources/${id}(/tables)?$`), (route) => {
            if (route.request().method() !== 'GET') return route.continue()
            failed.push(route.request().url())
            return route.fulfill({ status: 503 })
          })
          await page.getByRole('button', { name: 'Comment on digits', exact: true }).click()
          await dialog.getByRole('button', { name: 'Save' }).click()
          // Each is read twice before the page says that it cannot be read.
          await until(() => Promise.resolve(failed.length >= 4))
          await page.getByText('Last read').first().waitFor()
          await page.evaluate(
            'new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))',
          )
          expect(await page.getByText('Last read').count()).toBe(1)
        })
        const tables = Array.from({ length: 4 }, (_, at) => `digits d${at}`).join(', ')
        const text = `SELECT d0.digit, 1e0 / 3 AS third FROM ${tables} UNION ALL SELECT digit, 0 FROM digits`
        const json = { name: 'Many', dataSourceId: id, text }
        const query = await good<{ readonly id: number }>(client.request('POST', '/dataQueries', { json }))
        await stage.visit(`queries/${query.id}`, {}, async ({ page }) => {
          await page.getByRole('button', { name: 'Run' }).click()
          await page.getByText(/^the first 10,000 rows: filter to see others · [\d,]+ ms$/).waitFor()
          // The title of a rounded number has all decimals.
          const third = page.locator('[role=gridcell][title^="0.3333333333"]').first()
          expect(await third.textContent()).toBe('0.333')
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'beside the text, a column is found among the sources, and its card has its values, which are read when it is chosen',
      async () => {
        const { client } = stage
        const post = (path: string, json: object) =>
          good<{ readonly id: number }>(client.request('POST', path, { json }))
        const { id } = await post('/dataSources', { name: 'Gauges', type: 'csv' })
        await post('/dataSources', { name: 'Other gauges', type: 'csv' })
        const columns = [
          { name: 'station', type: 'string' },
          { name: 'height', type: 'number' },
          { name: 'read_at', type: 'datetime' },
        ]
        await post(`/dataSources/${id}/tables`, { name: 'readings', columns })
        await post(`/dataSources/${id}/tables`, { name: 'pumps', columns: columns.slice(0, 1) })
        const rows = Array.from({ length: 40 }, (_, at) => ({
          station: at % 4 === 0 ? 'Texel' : 'Harlingen',
          height: at % 8 === 0 ? null : at % 8,
          read_at: new Date(Date.UTC(2026, 10, 25, at)).toISOString(),
        }))
        await post(`/dataSources/${id}/tables/readings/rows`, { rows })
        const json = { name: 'Heights', dataSourceId: id, text: 'SELECT height FROM readings' }
        const query = await post('/dataQueries', json)
        await post('/dataQueries', {
          ...json,
          name: 'Highest heights',
          text: 'SELECT 1 FROM ${ref("Heights")}',
        })
        await stage.visit(`queries/${query.id}`, {}, async ({ page, check }) => {
          const asked: string[] = []
          page.on('request', (request) => asked.push(new URL(request.url()).pathname))
          const part = page.getByRole('region', { name: 'Tables and columns' })
          const summary = (text: string) => part.locator('summary', { hasText: new RegExp(`^${text}$`) })
          await summary('Gauges').waitFor()
          await summary('Other gauges').waitFor()
          await summary('Data queries').click()
          await part.getByRole('link', { name: 'Highest heights' }).waitFor()
          await summary('pumps').waitFor()
          await part.getByLabel('Find tables').fill('HEI')
          await summary('pumps').waitFor({ state: 'detached' })
          const column = (name: string) => part.getByRole('button', { name: new RegExp(`^${name}`) })
          await column('height').waitFor()
          expect(await column('station').count()).toBe(0)
          expect(asked.filter((path) => /select$|histogram$|values$/.test(path))).toEqual([])

          await column('height').click()
          const card = (name: string) => part.getByRole('region', { name: `Values of ${name}` })
          await card('height').getByText('7 different values, 12.5% empty').waitFor()
          await card('height').getByText('from 1 to 7').waitFor()
          await card('height')
            .getByRole('img', { name: /ranges? of the values, at most 5 rows/ })
            .waitFor()
          await check('query-column')

          await part.getByLabel('Find tables').fill('')
          await summary('readings').click()
          await column('station').click()
          await card('station').getByText('2 different values, 0.0% empty').waitFor()
          const frequent = card('station').getByRole('listitem')
          expect(await frequent.allTextContents()).toEqual(['Harlingen30', 'Texel10'])
          await column('read_at').click()
          await card('read_at').getByText('40 different values, 0.0% empty').waitFor()
          await card('read_at').getByText('from 2026-11-25').waitFor()
          await check('query-times')
          await column('read_at').click()
          await card('read_at').waitFor({ state: 'detached' })
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'the result of a data query is stored, computed anew, and says when it is computed next, or how late that is',
      async () => {
        const { client } = stage
        const { id } = await good<{ readonly id: number }>(
          client.request('POST', '/dataSources', { json: { name: 'Stored sales', type: 'csv' } }),
        )
        const columns = [{ name: 'region', type: 'string' }]
        await good(client.request('POST', `/dataSources/${id}/tables`, { json: { name: 'shops', columns } }))
        const json = { name: 'All shops', dataSourceId: id, text: 'SELECT region FROM shops' }
        const query = await good<{ readonly id: number }>(client.request('POST', '/dataQueries', { json }))
        await stage.visit(`queries/${query.id}`, {}, async ({ page, check }) => {
          const dialog = page.getByRole('dialog')
          await page.getByLabel('Computed').selectOption('each hour')
          await page.getByLabel('Indexes').fill('region')
          await page.getByLabel('Dashboards show its results').check()
          await page.getByLabel('The template escapes values itself').check()
          await page.getByText('Values become SQL as they are').waitFor()
          await page.getByRole('button', { name: 'Save draft' }).click()
          await page.getByRole('button', { name: 'Publish', disabled: false }).click()
          await dialog.getByRole('button', { name: 'Publish' }).click()
          await page.getByRole('button', { name: 'Compute now' }).click()
          await page.getByText('The result is computed').waitFor()
          await page.getByText('Late by').waitFor({ state: 'detached' })
          const next = page.locator('dt:has-text("Next") + dd time')
          // Before the page has read the new result, its next time is the one of the first result.
          const nextAt = await readUntil(
            async () => Date.parse((await next.getAttribute('datetime')) ?? ''),
            (at) => at > Date.now(),
          )
          await check('query-stored')
          await page.clock.setFixedTime(nextAt + LATE_MS)
          await page.locator('dt:has-text("Late by") + dd', { hasText: /^5\s?min$/ }).waitFor()
        })
        const stored = await good(client.request('GET', `/dataQueries/${query.id}`))
        expect(stored).toMatchObject({
          accessibleFromDashboards: true,
          escaping: 'legacy',
          materialization: { refresh: 'hourly', indexes: [{ columns: ['region'], unique: false }] },
        })
      },
      JOURNEY_MAX_MS,
    )

    test(
      'data queries are in groups, drawn, compared, renamed with their references, and deleted with these named',
      async () => {
        const { client } = stage
        const post = (path: string, json: object) =>
          good<{ readonly id: number }>(client.request('POST', path, { json }))
        const { id } = await post('/dataSources', { name: 'Tide tables', type: 'csv' })
        await post(`/dataSources/${id}/tables`, {
          name: 'levels',
          columns: [
            { name: 'station', type: 'string' },
            { name: 'measured', type: 'datetime' },
            { name: 'level', type: 'number' },
          ],
        })
        const rows = Array.from({ length: 48 }, (_, at) => ({
          station: at % 2 === 0 ? 'Harlingen' : 'Texel',
          measured: new Date(Date.UTC(2026, 10, 25, at)).toISOString(),
          level: Math.round(Math.sin(at / 4) * 200) / 100,
        }))
        await post(`/dataSources/${id}/tables/levels/rows`, { rows })
        const query = await post('/dataQueries', {
          name: 'Levels',
          dataSourceId: id,
          text: 'SELECT station, measured, level\nFROM levels\nORDER BY measured',
        })
        await post(`/dataQueries/${query.id}/publish`, { description: 'First version' })
        await post('/dataQueries', {
          name: 'Highest',
          dataSourceId: id,
          text: 'SELECT max(level) AS high FROM ${ref("Levels")} l',
        })
        await stage.visit('queries', {}, async ({ page, check, expectProblem }) => {
          expectProblem(/status of 409/)
          const dialog = page.getByRole('dialog')
          await page.getByRole('button', { name: 'New group' }).click()
          await dialog.getByLabel('Name', { exact: true }).fill('Harbour')
          await dialog.getByRole('button', { name: 'Save' }).click()
          await page.getByRole('row', { name: /Harbour.*empty/ }).waitFor()
          await page.getByRole('link', { name: 'Levels', exact: true }).click()
          await page.getByLabel('In the group').selectOption('Harbour')
          await page.getByRole('button', { name: 'Run' }).click()
          await page.getByRole('grid', { name: 'Result' }).getByText('Texel').first().waitFor()
          await page.getByRole('button', { name: 'Chart' }).click()
          const chart = page.getByRole('group', { name: /^Result: level from -/ })
          await chart.locator('canvas').waitFor()
          await chart.focus()
          await page.keyboard.press('End')
          await chart.getByRole('status').getByText('-1.46').waitFor()
          await check('chart')
          await page.getByLabel('Horizontal axis').selectOption('station')
          await page.getByRole('listitem').filter({ hasText: 'Harlingen' }).first().waitFor()
          await check('bars')

          const text = page.locator('.code-editor').getByRole('textbox', { name: 'SQL' })
          await text.press('Control+End')
          await page.keyboard.insertText(' DESC')
          await page.getByLabel('Name', { exact: true }).fill('Water levels')
          await page.getByText('1 data query refers to it by its name').waitFor()
          await page.getByRole('button', { name: 'Save draft' }).click()
          await page.getByRole('heading', { level: 1, name: 'Water levels' }).waitFor()
          await page.getByRole('link', { name: 'Harbour' }).waitFor()
          await page.getByRole('button', { name: 'Compare version 1' }).click()
          await dialog.getByText('1 line added, 1 removed').waitFor()
          await dialog.getByText('ORDER BY measured DESC').waitFor()
          await check('compare')
          await page.keyboard.press('Escape')

          await page.getByRole('button', { name: 'To draft: version 1' }).click()
          await text.getByText('DESC').waitFor({ state: 'detached' })
          await page.getByRole('button', { name: /^Undo/ }).click()
          await text.getByText('DESC').waitFor()
          await page.getByRole('button', { name: 'More for Water levels' }).click()
          await page.getByRole('menuitem', { name: 'Delete' }).click()
          await dialog.getByText('1 data query refers to it:').waitFor()
          await check('delete-query')
          await dialog.getByRole('button', { name: 'Cancel' }).click()
          await page.getByRole('link', { name: 'Highest' }).click()
          await text.getByText('ref("Water levels")').waitFor()

          await page.getByRole('link', { name: 'Data queries' }).first().click()
          await page.getByRole('link', { name: 'Harbour' }).click()
          await page.getByRole('row', { name: /Water levels/ }).waitFor()
          await check('group')
          await page.getByRole('button', { name: 'More for Harbour' }).click()
          await page.getByRole('menuitem', { name: 'Delete' }).click()
          await dialog.getByText('The group is deleted and 1 data query with its versions.').waitFor()
          await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
          await dialog.getByRole('alert').getByText('Highest').waitFor()
          await check('delete-group')
          await dialog.getByLabel('Delete it all the same').check()
          await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
          await page.getByRole('link', { name: 'Highest', exact: true }).click()
          await page.getByText('1 fault in the draft').waitFor()
          await check('invalid')
          await page.getByRole('link', { name: 'Data queries' }).first().click()
          await page.getByRole('row', { name: /Highest (?!heights).*faults in the draft/ }).waitFor()
        })
      },
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
