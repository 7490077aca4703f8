import { expect, test } from 'bun:test'

import { until } from '../../until.ts'
import { onMainHost } from '../stage.ts'
import type { Stage } from '../stage.ts'

const TEST_MAX_MS = 400_000
/** A statement that would take hours; on workerd some seconds, since its SQLite, unlike D1, ends no statement. */
const longStatement = (host: Stage['name']) => {
  const copies = Array.from({ length: host === 'bun' ? 24 : 12 }, (_, at) => `l${at}`)
  const all = copies.map((copy) => `levels ${copy}`).join(', ')
  return `SELECT count(*) FROM ${all} WHERE 1 < ${copies.map((copy) => `${copy}.level`).join(' + ')}`
}
const LINES = [
  'station,day,level,lat,lon,state',
  'Harlingen,2026-11-01,1.2,53.175,5.411,ok',
  'Harlingen,2026-11-02,3.1,53.175,5.411,major',
  'Den Oever,2026-11-01,0.9,52.934,5.043,ok',
  'Den Oever,2026-11-02,1.4,52.934,5.043,ok',
]

onMainHost('first-half-hour', (stage) => {
  test(
    'a file is dropped, becomes a table, a data query with a parameter, a chart on a dashboard, a public link and a map',
    async () => {
      let shared = ''
      await stage.visit('data/new/import', {}, async ({ page, check, expectProblem }) => {
        // There is no link before it is made.
        expectProblem(/404.*\/public\)/)
        const dialog = page.getByRole('dialog')
        // The page hears of a drop as a browser tells it.
        const dropped = await page.evaluateHandle(`(() => {
          const files = new DataTransfer()
          files.items.add(new File([${JSON.stringify(LINES.join('\n'))}], 'Levels.csv', { type: 'text/csv' }))
          return files
        })()`)
        await page.getByLabel('Into').selectOption({ label: 'A new set of tables' })
        await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped })
        await page.getByRole('button', { name: 'Import 4 records' }).click()
        await page.getByText('levels has 4 rows').waitFor()

        await page.getByRole('link', { name: 'Open the table' }).click()
        await page.getByRole('link', { name: 'New data query' }).click()
        await page.getByLabel('Name', { exact: true }).fill('Levels of a station')
        const text = page.locator('.code-editor').getByRole('textbox', { name: 'SQL' })
        await page.locator('summary', { hasText: 'levels' }).waitFor()
        // The text begins with a select of the table.
        await text.getByText('"levels"').waitFor()
        await text.press('Control+A')
        await text.press('Delete')
        await page.keyboard.insertText(longStatement(stage.name))
        // A run closes the list of completions, so that Escape cancels the run.
        const completion = page.getByRole('option', { name: 'level', exact: true })
        // Names of tables complete once the editor has parsed the text, which a busy browser does later.
        await until(async () => {
          await page.keyboard.press('Control+Space')
          return completion.isVisible()
        })
        await page.keyboard.press('Control+Enter')
        await completion.waitFor({ state: 'detached' })
        const running = page.getByText('The data query is running').first()
        await running.waitFor({ state: 'attached' })
        await text.press('Escape')
        await running.waitFor({ state: 'detached' })
        await page.getByText('No result yet').waitFor()
        await text.press('Control+A')
        await text.press('Delete')
        await page.keyboard.insertText('SELECT * FROM levels WHERE station = ${station} ORDER BY day')
        await page.getByRole('button', { name: 'Add parameter' }).click()
        await dialog.getByLabel('Name', { exact: true }).fill('station')
        await dialog.getByLabel('Default').fill('Harlingen')
        await dialog.getByRole('button', { name: 'Apply' }).click()
        await page.getByLabel('Dashboards show its results').check()
        await page.getByRole('button', { name: 'Run' }).click()
        await page.getByRole('gridcell', { name: '3.1', exact: true }).waitFor()
        await page.getByRole('button', { name: 'Save draft' }).click()
        await page.getByRole('heading', { level: 1, name: 'Levels of a station' }).waitFor()
        await page.getByRole('button', { name: 'Publish', disabled: false }).click()
        await dialog.getByRole('button', { name: 'Publish' }).click()
        await page.getByRole('button', { name: 'To draft: version 1' }).waitFor()

        await page.getByRole('link', { name: 'Dashboards' }).click()
        await page.getByRole('button', { name: 'New dashboard' }).click()
        await dialog.getByLabel('Name', { exact: true }).fill('Coast')
        await dialog.getByRole('button', { name: 'Create' }).click()
        await page.getByRole('button', { name: 'Settings', exact: true }).click()
        await dialog.getByRole('button', { name: 'Add parameter' }).click()
        await dialog.getByLabel('Name', { exact: true }).last().fill('station')
        await dialog.getByLabel('Type', { exact: true }).selectOption('choice')
        await dialog.getByLabel('Values', { exact: true }).fill('Harlingen, Den Oever')
        await dialog.getByRole('button', { name: 'Apply' }).click()
        await page.getByRole('button', { name: 'Add a widget' }).click()
        await dialog.getByRole('button', { name: 'Chart', exact: true }).click()
        await dialog.getByLabel('Title').fill('Levels')
        await dialog.getByLabel('Data query').selectOption('Levels of a station')
        await dialog.getByLabel('Kind of chart').selectOption('bars')
        // The columns of the data query are there to choose from, and these are chosen already.
        await dialog.getByRole('button', { name: 'Remove: level' }).waitFor()
        expect(await dialog.getByLabel('Column of the axis').inputValue()).toBe('day')
        const values = dialog.getByLabel('Values of its parameters')
        await until(async () => (await values.inputValue()) === 'station=${station}')
        await dialog.getByRole('button', { name: 'Apply' }).click()
        await page.locator('section.widget[aria-label^="Levels:"]').focus()
        await page.keyboard.press('Alt+ArrowRight')
        await page.keyboard.press('Alt+Shift+ArrowDown')
        await page.getByText(/^Column 2, row 1/).waitFor({ state: 'attached' })
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor()
        await page.getByRole('button', { name: 'Done' }).click()
        await page.getByLabel('station', { exact: true }).selectOption('Den Oever')
        const chart = page.getByRole('region', { name: 'Levels', exact: true })
        await chart.getByText('1.4', { exact: true }).waitFor()

        // The link shows the same to another person.
        const other = await page.context().newPage()
        await other.goto(page.url())
        const same = other.getByRole('region', { name: 'Levels', exact: true })
        await same.getByText('1.4', { exact: true }).waitFor()
        expect(await same.getAttribute('style')).toContain('--x: 2')
        await other.close()

        await page.getByRole('link', { name: 'Settings' }).click()
        await page.getByLabel('Dashboards may have public links').check()
        await page.getByRole('button', { name: 'Save', disabled: false }).click()
        await page.getByText('Saved', { exact: true }).waitFor()
        await page.goBack()
        await page.getByRole('button', { name: 'More for Coast' }).click()
        await page.getByRole('menuitem', { name: 'Public link' }).click()
        await dialog.getByRole('button', { name: 'Publish' }).click()
        await dialog.getByText('with the rights of admin').waitFor()
        await check('share')
        shared = (await dialog.locator('pre').textContent()) ?? ''
        await dialog.getByRole('button', { name: 'Close' }).last().click()

        await page.getByRole('link', { name: 'Map' }).click()
        await page.getByLabel('Data source', { exact: true }).selectOption({ index: 1 })
        await page.getByLabel('Table of the places').selectOption('levels')
        await page.getByText('4 places, 1 in trouble.').waitFor()
      })

      // Another person has the link alone.
      const path = new URL(shared).pathname.replace(/^.*\/ui\//, '')
      await stage.visit(path, { as: null }, async ({ page, check }) => {
        await page.getByRole('heading', { level: 1, name: 'Coast' }).waitFor()
        const chart = page.getByRole('region', { name: 'Levels', exact: true })
        await page.getByLabel('station', { exact: true }).selectOption('Harlingen')
        await chart.getByText('3.1', { exact: true }).waitFor()
        expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
        await check('public')
      })
    },
    TEST_MAX_MS,
  )
})
