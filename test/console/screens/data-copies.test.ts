import { afterAll, expect, test } from 'bun:test'

import { good } from '../../api/suite.ts'
import { hasPostgres, startPostgres } from '../../hosts/postgres.ts'
import type { Postgres } from '../../hosts/postgres.ts'
import { HAS_BROWSER } from '../browser.ts'
import { onMainHost } from '../stage.ts'

type Made = { readonly id: number }

const TEST_MAX_MS = 400_000
const PASSWORD = 'canary-of-a-reader'
const TABLES = `
  create schema shop;
  create role reader login password '${PASSWORD}';
  grant usage on schema shop to reader;
  create table shop.orders (id bigint primary key, region text, amount numeric, placed date);
  insert into shop.orders select n, case when n % 3 = 0 then 'south' else 'north' end, n % 50,
    date '2026-09-01' + (n % 90) from generate_series(1, 900) n;
  grant select on shop.orders to reader;`

let server: Postgres | null = null
afterAll(() => server?.close())

if (hasPostgres && HAS_BROWSER)
  onMainHost(
    'data-copies',
    (stage) => {
      test(
        'a table of a database is copied, refreshed, summarised, changed, fails, and becomes an ordinary table',
        async () => {
          const { client } = stage
          const post = (path: string, json: object) => good<Made>(client.request('POST', path, { json }))
          const connection = {
            host: '127.0.0.1',
            port: server?.port,
            database: 'postgres',
            schema: 'shop',
            user: 'reader',
            password: PASSWORD,
            tls: 'disable',
          }
          await post('/dataSources', { name: 'Shop', type: 'postgresql', connection })
          const { id } = await post('/dataSources', { name: 'Copies', type: 'csv' })
          await stage.visit(`data/${id}?tab=refreshes`, {}, async ({ page, check, expectProblem }) => {
            expectProblem(/status of 422/)
            const dialog = page.getByRole('dialog')
            await page.getByText('No copies of tables yet').waitFor()
            await check('no-copies')
            await page.getByRole('button', { name: 'New copy of a table' }).click()
            await dialog.getByLabel('Database').selectOption('Shop')
            await dialog.getByLabel('Table or view').selectOption('orders')
            await dialog.getByLabel('placed').waitFor()
            expect(await dialog.getByLabel('Name of the copy').inputValue()).toBe('orders')
            await dialog.getByRole('button', { name: 'Add condition' }).click()
            await dialog.getByLabel('Column of condition 1').selectOption('region')
            await dialog.getByLabel('Value of condition 1').fill('north')
            await dialog.getByLabel('Refreshed').selectOption('every 1\u00a0hr')
            await check('new-copy')
            await dialog.getByRole('button', { name: 'Save' }).click()
            await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor()
            // The first refresh is due at once, and the page follows it.
            await stage.passMinute()
            await page.getByText(/^read.* ago$/).waitFor()
            await page.getByRole('button', { name: 'Refresh now' }).click()
            await page.getByText('orders is refreshed: 600 rows').waitFor()
            await check('origin')

            await page.getByRole('tab', { name: 'Rows' }).click()
            await page.getByText('600 rows').first().waitFor()
            expect(await page.getByRole('button', { name: 'Insert row' }).count()).toBe(0)
            await page.getByRole('button', { name: 'Summarise', exact: true }).click()
            await dialog.getByLabel('Column of group 1').selectOption('placed')
            await dialog.getByLabel('Steps of group 1').selectOption('by month')
            await dialog.getByRole('button', { name: 'Add value' }).click()
            await dialog.getByLabel('Column of value 2').selectOption('amount')
            await dialog.getByLabel('Function of value 2').selectOption('sum of')
            await dialog.getByRole('button', { name: 'Add value' }).click()
            await dialog.getByLabel('Column of value 3').selectOption('amount')
            await dialog.getByLabel('Function of value 3').selectOption('standard deviation of')
            await check('summary')
            await dialog.getByRole('button', { name: 'Apply' }).click()
            const grid = page.getByRole('grid', { name: 'Rows of orders' })
            await grid.getByRole('columnheader', { name: 'sum_amount' }).waitFor()
            await page
              .getByText(
                'number of rows, sum of amount, and standard deviation of amount, by placed (by month)',
              )
              .waitFor()
            await page.getByText(/^3 rows/).waitFor()
            // A computed number is rounded, and its title has all of it.
            const deviation = grid.getByRole('row').nth(1).getByRole('gridcell').last()
            expect(await deviation.textContent()).toMatch(/^\d+\.\d{1,3}$/)
            expect(await deviation.getAttribute('title')).toMatch(/^\d+\.\d{8,}$/)
            await grid.getByRole('button', { name: 'count' }).click()
            await page.getByText(/^3 rows/).waitFor()
            await check('summarised')
            await page.getByRole('button', { name: 'Chart', exact: true }).click()
            await page.getByRole('group', { name: /^Rows of orders: .*sum_amount from/ }).waitFor()
            await page.locator('.plot canvas').waitFor()
            await check('summary-chart')

            await server?.sql('drop table shop.orders')
            await page.getByRole('tab', { name: 'Origin' }).click()
            await page.getByRole('button', { name: 'Refresh now' }).click()
            await page.getByText('The table could not be refreshed').waitFor()
            await page.getByText('The former rows stay.').waitFor()
            await check('failed')
            await page.getByRole('link', { name: 'Copies' }).first().click()
            await page.getByText('the refresh failed').waitFor()
            await check('tables')
            await page.getByRole('tab', { name: 'Copies' }).click()
            await page.getByText('1 copy of a table, 1 could not be refreshed.').waitFor()
            await page.getByRole('button', { name: 'Refresh orders now' }).waitFor()
            await check('copies')
            await page.getByRole('link', { name: 'orders' }).click()
            await page.getByRole('button', { name: 'Stop the refreshes' }).click()
            await dialog.getByRole('button', { name: 'Stop the refreshes' }).click()
            await page.getByRole('button', { name: 'Insert row' }).waitFor()
          })
        },
        TEST_MAX_MS,
      )
    },
    {
      variablesAt: async () => {
        server = await startPostgres()
        await server.sql(TABLES)
        return { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` }
      },
    },
  )
