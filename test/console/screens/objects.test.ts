import { beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { good } from '../../api/suite.ts'
import { LOOKS } from '../browser.ts'
import { lengthen } from '../long-lists.ts'
import { onMainHost } from '../stage.ts'

const DEVICES = 36
const JOBS = 55
/** The jobs of the device whose rows are read. */
const LEVELS = 10
/** The objects of the plant: its devices, and the jobs of each. */
const NODES = DEVICES * (1 + JOBS)
/** The rows that a tree has, read from the height of what scrolls; a finger has higher ones. */
const ROWS_OF_TREE = `Math.round(document.querySelector('.tree').scrollHeight /
  document.querySelector('.tree [role=treeitem]').getBoundingClientRect().height)`
const SETTLED_MS = 2_000
const TREE_MAX_MS = 400_000
/** The most buttons between a tree and the actions on its marks. */
const TABS_MAX = 12
const SETUP_MAX_MS = 300_000
const TRIES = 20
const TRIES_MAX = 600
const PAUSE_MS = 200
/** The rows of a tree that may be in the page at once. */
const ROWS_MAX = 300

onMainHost('objects', (stage) => {
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
    for (let at = 0; at < JOBS; at++) await make('jobs', ids.unit, `check ${String(at).padStart(2, '0')}`)
    for (let at = 1; at < DEVICES; at++) {
      const name = `unit ${String(at).padStart(2, '0')}`
      await stage.client.request(
        'POST',
        `/devices/${ids.unit}/copy?destinationType=none&destinationName=${encodeURIComponent(name)}`,
      )
    }
  }, SETUP_MAX_MS)

  for (const [at, [width, theme]] of LOOKS.entries())
    test(
      `a tree of 2,000 objects is windowed, and walked, filtered and stopped by the keyboard alone: ${width}, ${theme}`,
      () =>
        stage.visit('objects', { width, theme }, async ({ page, check }) => {
          const filter = `check 1${at}`
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
          await page.getByRole('treeitem', { name: 'check 09' }).first().waitFor()
          expect(await page.getByRole('treeitem', { name: 'unit 00' }).getAttribute('aria-expanded')).toBe(
            'true',
          )
          expect(await page.getByRole('treeitem', { name: 'unit 00' }).getAttribute('aria-level')).toBe('3')
          expect(NODES).toBeGreaterThan(2_000)
          // Devices are read one after the other.
          for (
            let tried = 0;
            tried < TRIES_MAX && (await page.evaluate<number>(ROWS_OF_TREE)) < NODES;
            tried++
          )
            await page.waitForTimeout(PAUSE_MS)
          expect(await page.evaluate<number>(ROWS_OF_TREE)).toBeGreaterThanOrEqual(NODES)
          const counts: number[] = []
          const press = async (key: string, times = 1) => {
            for (let done = 0; done < times; done++) await page.keyboard.press(key)
            await active.waitFor()
            counts.push(await page.getByRole('treeitem').count())
          }
          await press('End')
          const lastLevel = await active.getAttribute('aria-level')
          await press('ArrowUp', JOBS)
          expect(await active.textContent()).toContain(`unit ${DEVICES - 1}`)
          await press('Home')
          await press('ArrowDown', JOBS)
          expect(await active.textContent()).toContain('check 5')
          await press('End')
          expect([await active.getAttribute('aria-level'), lastLevel]).toEqual(['4', '4'])
          expect(Math.max(...counts)).toBeLessThan(ROWS_MAX)
          await tree.hover()
          // Devices that open late move the rows under the wheel.
          const first = page.getByRole('treeitem', { name: 'All objects' })
          for (let tried = 0; tried < TRIES && !(await first.isVisible()); tried++) {
            await page.mouse.wheel(0, -100_000)
            await page.waitForTimeout(PAUSE_MS)
          }
          await first.waitFor()
          const activeId = await tree.getAttribute('aria-activedescendant')
          expect(await page.locator(`#${activeId}`).count()).toBe(1)

          await page.getByRole('searchbox', { name: 'Filter objects' }).focus()
          await page.keyboard.type(filter)
          await page.getByText(`${DEVICES} objects match`).waitFor()
          expect(page.url()).toContain('filter=')
          await check(`filtered-${width}`)
          await tree.focus()
          await page.keyboard.press('Home')
          await page.keyboard.press('Shift+ArrowDown')
          await page.keyboard.press('Shift+ArrowDown')
          await page.getByText('3 marked').waitFor()
          await pressOn(page, 'Stop')
          await page.getByRole('dialog', { name: 'Stop 3 jobs?' }).waitFor()
          await page.getByRole('button', { name: 'Cancel' }).focus()
          await page.keyboard.press('Tab')
          await page.keyboard.press('Enter')
          await page.getByText('3 jobs are stopped.').waitFor()
          expect(await stoppedJobs()).toBe(3 * (at + 1))
          await tree.focus()
          await page.keyboard.press('Escape')
          await page.getByRole('button', { name: 'Stopped' }).focus()
          await page.keyboard.press('Enter')
          await page.getByText('3 objects match').waitFor()
          await page
            .getByRole('treeitem', { name: new RegExp(`^Stopped.*${filter}`) })
            .first()
            .waitFor()
        }),
      TREE_MAX_MS,
    )

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

  test('objects are moved one by one and by marks, the move is undone, and a refusal and an unread list are shown', async () => {
    const [from, to] = [await make('groups', 1, 'Old hall'), await make('groups', 1, 'New hall')]
    const device = await make('devices', from, 'mill 1')
    const other = await make('devices', from, 'mill 2')
    const job = await make('jobs', device, 'Oil pressure')
    const parentOf = async (path: string): Promise<unknown> =>
      (await stage.client.request('GET', path)).body['parentId']
    await stage.visit(`group/${from}`, {}, async ({ page, check, expectProblem }) => {
      expectProblem(/status of 409/)
      // The page of the deleted job reads the job until it is left.
      expectProblem(/status of 404/)
      const choose = async (name: string): Promise<void> => {
        await page.getByRole('dialog').getByRole('searchbox').fill(name)
        await page.getByRole('dialog').getByRole('button', { name }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
      }
      await page.getByRole('button', { name: 'More actions on Old hall' }).click()
      await page.getByRole('menuitem', { name: 'Move to…' }).click()
      await choose('Old hall')
      await page.getByText('An object cannot be moved below itself.').waitFor()
      await check('move')
      await choose('New hall')
      await page.getByText('Old hall is in New hall now.').waitFor()
      expect(await parentOf(`/groups/${from}`)).toBe(to)
      await page.getByRole('button', { name: /^Undo/ }).click()
      for (let tried = 0; tried < TRIES && (await parentOf(`/groups/${from}`)) !== 1; tried++)
        await page.waitForTimeout(PAUSE_MS)
      expect(await parentOf(`/groups/${from}`)).toBe(1)

      await page.getByRole('searchbox', { name: 'Filter objects' }).fill('mill')
      await page.getByText('2 objects match').waitFor()
      for (const name of ['mill 1', 'mill 2'])
        await page.getByRole('treeitem', { name }).click({ modifiers: ['Control'] })
      await page.getByText('2 marked').waitFor()
      await page.getByRole('button', { name: 'Move to…' }).click()
      await choose('New hall')
      await page.getByText('2 objects are in New hall now.').waitFor()
      expect([await parentOf(`/devices/${device}`), await parentOf(`/devices/${other}`)]).toEqual([to, to])

      await page.goto(`${stage.url}/ui/job/${job}`)
      await page.getByRole('button', { name: 'More actions', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Move to…' }).click()
      await choose('mill 2')
      await page.getByText('Oil pressure is in mill 2 now.').waitFor()
      expect(await parentOf(`/jobs/${job}`)).toBe(other)
      await page.getByRole('button', { name: 'More actions', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByText('All its values and alarms are deleted too.').waitFor()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('Oil pressure is deleted').waitFor()
      await page.getByRole('heading', { level: 1, name: 'mill 2' }).waitFor()
      expect((await stage.client.request('GET', `/jobs/${job}`)).status).toBe(404)

      await lengthen(page, /\/search\?.*limit=5000/)
      await page.getByRole('searchbox', { name: 'Filter objects' }).fill('hall')
      await page.getByText('At least 5,000 objects match').waitFor()
      await page.getByText('A narrower filter lists the others.').waitFor()

      expectProblem(/ERR_FAILED/)
      await page.route(/\/alarms\?.*assignee=/, (route) => route.abort())
      await page.getByRole('button', { name: 'Mine' }).click()
      await page.getByText('The filter could not be applied').waitFor()
    })
  })

  test('on a narrow screen taps mark objects, which are deleted together', async () => {
    const group = await make('groups', 1, 'Depot')
    for (const name of ['trailer', 'forklift']) await make('devices', group, name)
    await stage.visit('objects', { width: 'narrow' }, async ({ page, check }) => {
      const tree = page.getByRole('tree')
      await page.getByRole('treeitem', { name: 'Depot' }).locator('.tw').tap()
      await page.getByRole('button', { name: 'Mark', exact: true }).tap()
      for (const name of ['trailer', 'forklift']) await tree.getByText(name, { exact: true }).tap()
      const bar = page.getByRole('group', { name: '2 marked' })
      await bar.getByRole('button', { name: 'Copy…' }).waitFor()
      await bar.getByRole('button', { name: 'Delete' }).tap()
      const dialog = page.getByRole('dialog', { name: 'Delete 2 objects' })
      await dialog.waitFor()
      await check('delete-narrow')
      await dialog.getByRole('button', { name: 'Delete', exact: true }).tap()
      await page.getByText('2 objects are deleted').waitFor()
      expect(page.url()).toBe(`${stage.url}/ui/objects`)
    })
  })

  test('marked objects are copied, and deleted together by name, with each refusal', async () => {
    const group = await make('groups', 1, 'Yard')
    const [crane, tractor] = [await make('devices', group, 'crane'), await make('devices', group, 'tractor')]
    const job = await make('jobs', crane, 'crane load')
    const exists = async (path: string) => (await stage.client.request('GET', path)).status === 200
    await stage.visit(`group/${group}`, {}, async ({ page, check, expectProblem }) => {
      expectProblem(/status of 404/)
      const mark = async (...names: readonly string[]) => {
        for (const name of names)
          await page
            .getByRole('tree')
            .getByText(name, { exact: true })
            .click({ modifiers: ['Control'] })
        await page.getByText(`${names.length} marked`).waitFor()
      }
      const bar = page.getByRole('group', { name: /marked$/ })
      const dialog = page.getByRole('dialog')
      await page.getByRole('treeitem', { name: 'Yard' }).locator('.tw').click()
      await mark('crane', 'tractor')
      await bar.getByRole('button', { name: 'Copy…' }).click()
      await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
      await page.getByText('2 objects are copied').waitFor()
      await page.getByRole('treeitem', { name: 'crane (copy)' }).waitFor()

      await mark('crane', 'tractor', 'crane (copy)', 'tractor (copy)')
      await bar.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('listitem').filter({ hasText: 'crane with 1 object below' }).first().waitFor()
      await check('delete-marked')
      await good(stage.client.request('DELETE', `/devices/${tractor}?recursive=true`))
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('1 of 4 could not be deleted').waitFor()
      expect(await dialog.getByRole('listitem').count()).toBe(1)
      await dialog.getByText('tractor: There is no such device.').waitFor()
      await check('delete-marked-refused')
      await dialog.getByRole('button', { name: 'Close' }).last().click()
      await page.getByText('This group is empty').waitFor()
      expect([await exists(`/devices/${crane}`), await exists(`/jobs/${job}`)]).toEqual([false, false])

      await mark('Yard')
      await bar.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('1 object is deleted').waitFor()
      await page.waitForURL(/\/objects$/)
      expect(await exists(`/groups/${group}`)).toBe(false)
    })
  })

  test('what a dashboard shows is deleted after the dashboard was named and the deletion confirmed again', async () => {
    const post = (path: string, json: object) =>
      good<{ id: number }>(stage.client.request('POST', path, { json }))
    const group = await make('groups', 1, 'Weir')
    const device = await make('devices', group, 'weir pump')
    const [alone, first, second] = [
      await make('jobs', device, 'Head water'),
      await make('jobs', device, 'Gate 1'),
      await make('jobs', device, 'Gate 2'),
    ]
    const level = (await post('/slos?parentId=1', { name: 'Weir service' })).id
    const dataSourceId = (await post('/dataSources', { name: 'Weirs', type: 'csv' })).id
    const query = (await post('/dataQueries', { name: 'Weir levels', dataSourceId, text: 'SELECT 1 AS one' }))
      .id
    const file = { text: 'a', headers: { 'content-type': 'text/plain' } }
    await good(stage.client.request('POST', '/files/weir.txt', file))
    const valueOf = (jobId: number) => ({ kind: 'value', source: { type: 'job', jobId } })
    const widgets = {
      head: valueOf(alone),
      gate: valueOf(first),
      level: { kind: 'slo', objectId: level },
      query: { kind: 'table', dataQueryId: query },
      file: { kind: 'image', file: 'weir.txt', alt: 'a' },
    }
    const { id } = await post('/dashboards', { name: 'Weir board', definition: { widgets } })
    const isGone = async (path: string) => (await stage.client.request('GET', path)).status === 404
    await stage.visit(`job/${alone}`, {}, async ({ page, check, expectProblem }) => {
      expectProblem(/status of (404|409)/)
      const dialog = page.getByRole('dialog')
      const submit = dialog.getByRole('button', { name: 'Delete', exact: true })
      /** Asks for the deletion, reads which widget shows the object, and confirms. */
      const confirm = async (widget: string) => {
        await submit.click()
        await dialog.getByText(`the widget ${widget} of dashboard ${id}`).waitFor()
        await check(`delete-used-${widget}`)
        await dialog.getByLabel('Delete it all the same').check()
        await submit.click()
        await dialog.waitFor({ state: 'detached' })
      }
      await page.getByRole('button', { name: 'More actions', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await confirm('head')
      expect(await isGone(`/jobs/${alone}`)).toBe(true)

      await page.goto(`${stage.url}/ui/slo/${level}`)
      await page.getByRole('button', { name: 'More about Weir service' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await confirm('level')
      expect(await isGone(`/slos/${level}`)).toBe(true)

      await page.goto(`${stage.url}/ui/queries/${query}`)
      await page.getByRole('button', { name: /Weir levels/ }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await confirm('query')
      expect(await isGone(`/dataQueries/${query}`)).toBe(true)

      await page.goto(`${stage.url}/ui/content`)
      await page.getByRole('button', { name: 'Delete weir.txt' }).click()
      await confirm('file')
      expect(await isGone('/files/weir.txt')).toBe(true)

      await page.goto(`${stage.url}/ui/device/${device}`)
      await page.getByRole('treeitem', { name: 'weir pump' }).locator('.tw').click()
      for (const name of ['Gate 1', 'Gate 2'])
        await page
          .getByRole('tree')
          .getByText(name, { exact: true })
          .click({ modifiers: ['Control'] })
      await page.getByRole('group', { name: '2 marked' }).getByRole('button', { name: 'Delete' }).click()
      await submit.click()
      await dialog.getByText('1 of 2 could not be deleted').waitFor()
      await dialog.getByText(`the widget gate of dashboard ${id}`).waitFor()
      await check('delete-used-marked')
      expect([await isGone(`/jobs/${first}`), await isGone(`/jobs/${second}`)]).toEqual([false, true])
      await dialog.getByRole('button', { name: 'Delete it all the same' }).click()
      await page.getByText('objects are deleted').waitFor()
      expect(await isGone(`/jobs/${first}`)).toBe(true)
    })
  }, 180_000)

  test('all fields of a device are edited, a fault is shown at its field, and a copy is made', async () => {
    const group = await make('groups', 1, 'Cellar')
    const device = await make('devices', group, 'boiler')
    await stage.visit(`device/${device}`, {}, async ({ page, check, expectProblem }) => {
      expectProblem(/status of 422/)
      await page.getByRole('button', { name: 'More actions on boiler' }).click()
      await page.getByRole('menuitem', { name: 'Edit…' }).click()
      await page.getByLabel('Name', { exact: true }).fill('boiler 7')
      await page.getByLabel('Address').fill('192.0.2.7')
      await page.getByLabel('Netmask').fill('255.255.255.0')
      await page.getByLabel('Device name').fill('b7')
      await page.getByLabel('Collector').selectOption('collector')
      await page.getByRole('button', { name: 'Property', exact: true }).click()
      await page.getByLabel('Value of property 1').fill('Ada')
      await page.getByText('More fields').click()
      await page.getByLabel('Subtype').fill('boiler')
      await page.getByLabel('Template for copies').check()
      await page.getByLabel('Parameters').fill('{"port": ')
      expect(await page.getByRole('button', { name: 'Save' }).getAttribute('title')).toBe(
        'The parameters must be a JSON object',
      )
      await page.getByLabel('Parameters').fill('{"port": 502}')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('must have at least 1 character').waitFor()
      await page.getByLabel('Key of property 1').fill('owner')
      await check('edit')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { level: 1, name: 'boiler 7' }).waitFor()
      expect((await stage.client.request('GET', `/devices/${device}`)).body).toMatchObject({
        name: 'boiler 7',
        address: '192.0.2.7',
        netmask: '255.255.255.0',
        deviceName: 'b7',
        collectorId: stage.client.userIds.collector,
        subType: 'boiler',
        isTemplate: true,
        parameter: { port: 502 },
        properties: [{ key: 'owner', value: 'Ada' }],
      })
      await page.getByRole('button', { name: 'More actions on boiler 7' }).click()
      await page.getByRole('menuitem', { name: 'Copy…' }).click()
      await page.getByLabel('Name', { exact: true }).fill('boiler 8')
      await check('copy')
      await page.getByRole('button', { name: 'Copy', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'boiler 8' }).waitFor()
      const copy = Number(/device\/(\d+)/.exec(page.url())?.[1])
      expect((await stage.client.request('GET', `/devices/${copy}`)).body).toMatchObject({
        templateId: device,
        parentId: group,
      })
    })
  })

  test('rows show the current values of all jobs by one call, and a delivery changes its row', async () => {
    const device = await make('devices', 1, 'tank')
    const jobs: number[] = []
    for (let at = 0; at < LEVELS; at++) {
      const json = {
        name: `level ${at}`,
        parameters: { returnValue: [{ valueName: 'Level', valueUnit: 'm', valuePrecision: 1 }] },
      }
      const { body } = await stage.client.request('POST', `/jobs?parentId=${device}`, { json })
      jobs.push(Number(body['id']))
    }
    const deliver = (job: number | undefined, value: number) =>
      stage.client.request('POST', `/webcollector/jobs/${job}/values`, {
        json: { returnValue1: value, errorCode: 0 },
      })
    for (const [at, job] of jobs.entries()) await deliver(job, at)
    await stage.visit('objects', {}, async ({ page, check }) => {
      const reads: string[] = []
      page.on('request', (request) => request.url().includes('/values?jobId=') && reads.push(request.url()))
      await page.getByRole('treeitem', { name: 'tank' }).waitFor()
      const stream = page.waitForResponse(
        (response) => response.url().includes('/events?') && response.url().split('jobId=').length > LEVELS,
      )
      await page.getByRole('tree').focus()
      await page.keyboard.type('tank')
      await page.keyboard.press('ArrowRight')
      const row = page.getByRole('treeitem', { name: 'level 3' })
      await row.getByText('3 m').waitFor()
      await page.getByRole('treeitem', { name: 'level 9' }).getByText('9 m').waitFor()
      expect(reads.length).toBeLessThan(LEVELS / 2)
      for (const url of reads) expect(url.split('jobId=')).toHaveLength(LEVELS + 1)
      // The stream of these jobs is open, and has had what came before it read; from now on no value is read again.
      await stream
      await page.waitForTimeout(SETTLED_MS)
      const before = reads.length
      await deliver(jobs[3], 7.25)
      await row.getByText('7.3 m').waitFor()
      expect(reads).toHaveLength(before)
      await check('values')
    })
  })

  test('the palette finds an object by its path and acts on it, and has commands', () =>
    stage.visit('', {}, async ({ page, check }) => {
      await page.getByRole('main').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('unit 07/check 04')
      await page.getByRole('option', { name: 'check 04' }).waitFor()
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
      await check('palette')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'check 04' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('>')
      await check('commands')
      await page.getByRole('combobox').fill('> dark')
      await page.keyboard.press('Enter')
      await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('new data query')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'New data query' }).waitFor()
    }))

  test('a user who may only read sees each control with the right that is missing', () =>
    stage.visit(`group/${ids.plant}`, { as: 'dashboard_viewer' }, async ({ page }) => {
      const add = page.getByRole('button', { name: 'Add device' })
      await add.waitFor()
      expect(await add.getAttribute('aria-disabled')).toBe('true')
      expect(await add.getAttribute('title')).toBe('You need the right to write on Plant')
    }))
})

/** Goes by the key Tab to a button, and presses it. */
async function pressOn(page: Page, text: string): Promise<void> {
  for (let at = 0; at < TABS_MAX; at++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate<string>('document.activeElement.textContent.trim()')) === text) break
  }
  expect(await page.evaluate<string>('document.activeElement.textContent.trim()')).toBe(text)
  await page.keyboard.press('Enter')
}
