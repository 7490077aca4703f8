import { beforeAll, expect, test } from 'bun:test'

import { onBothHosts } from './stage.ts'

const DEVICES = 36
const JOBS = 10
const SETUP_MAX_MS = 120_000
const WHEEL_TRIES = 20
const WHEEL_PAUSE_MS = 200
/** The rows of a tree that may be in the page at once. */
const ROWS_MAX = 300

onBothHosts('objects', (stage) => {
  const ids = { plant: 0, unit: 0, empty: 0 }

  /** Makes an object below another one. */
  const make = async (types: string, parentId: number, name: string): Promise<number> => {
    const { body } = await stage.client.request('POST', `/${types}?parentId=${parentId}`, { json: { name } })
    return Number(body['id'])
  }
  const stoppedJobs = async (): Promise<number> => {
    const conditions = [{ item: 'execution', operator: 'stopped' }]
    const filter = encodeURIComponent(JSON.stringify({ type: 'job', mode: 'and', conditions }))
    const { body } = await stage.client.request('GET', `/groups/1/search?filterDefinition=${filter}`)
    return (body['items'] as unknown[]).length
  }

  beforeAll(async () => {
    ids.plant = await make('groups', 1, 'Plant')
    ids.empty = await make('groups', 1, 'Empty place')
    ids.unit = await make('devices', ids.plant, 'unit 00')
    for (let at = 0; at < JOBS; at++) await make('jobs', ids.unit, `check ${at}`)
    for (let at = 1; at < DEVICES; at++) {
      const name = `unit ${String(at).padStart(2, '0')}`
      await stage.client.request(
        'POST',
        `/devices/${ids.unit}/copy?destinationType=none&destinationName=${encodeURIComponent(name)}`,
      )
    }
  }, SETUP_MAX_MS)

  test('a tree of hundreds is walked, filtered and stopped by the keyboard alone', () =>
    stage.visit('objects', {}, async ({ page, check }) => {
      const tree = page.getByRole('tree', { name: 'Objects' })
      const active = page.locator('.tree .active')
      await page.getByRole('treeitem', { name: 'Plant' }).waitFor()
      await tree.focus()
      await page.keyboard.type('pl')
      expect(await active.textContent()).toContain('Plant')
      await page.keyboard.press('ArrowRight')
      await page.getByRole('treeitem', { name: 'unit 00' }).waitFor()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('*')
      await page.getByRole('treeitem', { name: 'check 9' }).first().waitFor()
      expect(await page.getByRole('treeitem', { name: 'unit 00' }).getAttribute('aria-expanded')).toBe('true')
      expect(await page.getByRole('treeitem', { name: 'unit 00' }).getAttribute('aria-level')).toBe('3')
      await page.keyboard.press('End')
      await page.getByRole('treeitem', { name: `unit ${DEVICES - 1}` }).waitFor()
      expect(await page.getByRole('treeitem').count()).toBeLessThan(ROWS_MAX)
      await tree.hover()
      // Devices that open late move the rows under the wheel.
      const first = page.getByRole('treeitem', { name: 'All objects' })
      for (let tried = 0; tried < WHEEL_TRIES && !(await first.isVisible()); tried++) {
        await page.mouse.wheel(0, -100_000)
        await page.waitForTimeout(WHEEL_PAUSE_MS)
      }
      await first.waitFor()
      const activeId = await tree.getAttribute('aria-activedescendant')
      expect(await page.locator(`#${activeId}`).count()).toBe(1)

      await page.getByRole('searchbox', { name: 'Filter objects' }).fill('check 3')
      await page.getByText(`${DEVICES} objects match`).waitFor()
      expect(page.url()).toContain('filter=')
      await check('filtered')
      await tree.focus()
      await page.keyboard.press('Home')
      await page.keyboard.press('Shift+ArrowDown')
      await page.keyboard.press('Shift+ArrowDown')
      await page.getByText('3 marked').waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Stop 3 jobs?' }).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByText('3 jobs are stopped.').waitFor()
      expect(await stoppedJobs()).toBe(3)
      await page.getByRole('button', { name: 'Stopped' }).click()
      await tree.focus()
      await page.keyboard.press('Escape')
      await page.getByText('3 objects match').waitFor()
    }))

  test('a device and a job are added, and a group with its contents is deleted by its typed name', () =>
    stage.visit(`group/${ids.empty}`, {}, async ({ page, check, expectProblem }) => {
      expectProblem(/status of 422/)
      // An event can make the page read the group again while it is deleted.
      expectProblem(/status of 404/)
      await page.getByText('This group is empty').waitFor()
      await check('empty')
      await page.getByRole('button', { name: 'Add device' }).first().click()
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText('must have at least 1 character').waitFor()
      await page.getByLabel('Name').fill('pump')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'pump' }).waitFor()
      await page.getByRole('button', { name: 'Add job' }).first().click()
      await page.getByLabel('Name', { exact: true }).fill('Heat')
      await page.getByLabel('First value').fill('Temperature')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('heading', { level: 1, name: 'Heat' }).waitFor()
      await page.goto(`${stage.url}/ui/group/${ids.empty}`)
      await page.getByRole('button', { name: 'More actions on Empty place' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByText('no groups, 1 device, 1 job').waitFor()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('Empty place is deleted').waitFor()
      const { status } = await stage.client.request('GET', `/groups/${ids.empty}`)
      expect(status).toBe(404)
    }))

  test('the palette finds an object by its path and acts on it', () =>
    stage.visit('', {}, async ({ page, check }) => {
      await page.getByRole('main').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('unit 07/check 4')
      await page.getByRole('option', { name: 'check 4' }).waitFor()
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
      await check('palette')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'check 4' }).waitFor()
    }))

  test('a user who may only read sees each control with the right that is missing', () =>
    stage.visit(`group/${ids.plant}`, { as: 'dashboard_viewer' }, async ({ page }) => {
      const add = page.getByRole('button', { name: 'Add device' })
      await add.waitFor()
      expect(await add.getAttribute('aria-disabled')).toBe('true')
      expect(await add.getAttribute('title')).toBe('You need the right to write on Plant')
    }))
})
