import { afterAll, beforeAll, expect, test } from 'bun:test'

import { good } from '../../api/suite.ts'
import { definitionOf, makeThings } from '../boards.ts'
import { MailServer } from '../../notifications/mail-server.ts'
import { until } from '../../until.ts'
import { Reads } from '../failing-reads.ts'
import { heldAnswers } from '../held-answers.ts'
import { onMainHost } from '../stage.ts'

const TEST_MAX_MS = 600_000
/** Notes which control has the focus when the dialog leaves the page. */
const FOCUS_AFTER_DIALOG = `new MutationObserver(() => {
  if (document.querySelector('dialog') === null)
    globalThis.focusAfterDialog ??= document.activeElement?.getAttribute('aria-label')
}).observe(document.body, { childList: true, subtree: true })`
/** The widgets of a wall whose content is cut; lists and maps are as high as their rows. */
const CUT = `[...document.querySelectorAll('.wall .widget > .in')]
  .filter((part) => getComputedStyle(part).contain !== 'size' && part.scrollHeight > part.clientHeight + 1)
  .map((part) => part.parentElement.getAttribute('aria-label'))`
/** How many rows a list of twenty alarms on a wall has in view, and how many of these are cut. */
const ALARM_ROWS = `(() => {
  const part = document.querySelector('.wall [data-kind=alarms] > .in')
  const list = part.querySelector('.board-list')
  const row = list.querySelector('li')
  const added = Array.from({ length: 20 }, () => row.cloneNode(true))
  list.append(...added)
  const { right, bottom } = part.getBoundingClientRect()
  const boxes = [...list.querySelectorAll('li')].map((one) => one.getBoundingClientRect())
  for (const one of added) one.remove()
  const seen = boxes.filter((box) => box.left < right - 1 && box.top < bottom - 1)
  return [seen.length > 1, seen.filter((box) => box.bottom > bottom + 1).length]
})()`
/** The height that is free below each chart of a wall. */
const BELOW_CHARTS = `[...document.querySelectorAll('.wall [data-kind=history] > .in')].map(
  (part) => part.getBoundingClientRect().bottom - part.querySelector('canvas').getBoundingClientRect().bottom,
)`
const BELOW_CHART_MAX_PX = 60
/** Notes the places that the first frame of a map draws beyond its edge. */
const FIRST_SPOTS = `globalThis.beyond = []
const drawn = new WeakSet()
new MutationObserver(() => {
  for (const map of document.querySelectorAll('.map-view:has(.spot)')) {
    if (drawn.has(map)) continue
    drawn.add(map)
    requestAnimationFrame(() => {
      for (const spot of map.querySelectorAll('.spot'))
        if (spot.offsetLeft > map.clientWidth) beyond.push(spot.title + ' at ' + spot.style.left)
    })
  }
}).observe(document, { childList: true, subtree: true })`

/** All but the clusters. */
const UNCHANGED_ON_MAP = /^(?!.*\/gis\/cluster$)/

const mail = await MailServer.start('none')
afterAll(() => mail.close())
const withMail = (declareTests: Parameters<typeof onMainHost>[1]) =>
  onMainHost('dashboards', declareTests, {
    variables: {
      TIDEMARK_SMTP_URL: `smtp://127.0.0.1:${mail.port}?tls=none`,
      TIDEMARK_MAIL_FROM: 'Tidemark <tidemark@example.org>',
    },
  })

withMail((stage) => {
  let ids: Readonly<Record<string, number>> = {}
  let boardId = 0
  beforeAll(async () => {
    ids = await makeThings(stage.client)
    const board = await good<{ readonly id: number }>(
      stage.client.request('POST', '/dashboards', {
        json: { name: 'Storm desk', groupId: ids['boards'], definition: definitionOf(ids) },
      }),
    )
    boardId = board.id
  }, TEST_MAX_MS)

  test(
    'a dashboard draws widgets of all kinds, each of which fails alone; its parameters are in the address',
    () =>
      stage.visit('dashboards', {}, async ({ page, check }) => {
        await page.getByText('2 dashboards.').waitFor()
        await check('list')
        await page.getByRole('link', { name: 'Coast' }).click()
        await page.getByRole('link', { name: 'Storm desk' }).click()
        await page.getByRole('heading', { level: 1, name: 'Storm desk' }).waitFor()
        const widget = (name: string) => page.getByRole('region', { name, exact: true })
        await widget('Highest level').getByText('3.2').waitFor()
        await widget('Levels').locator('canvas').waitFor()
        await widget('Sales by region').getByText('north').first().waitFor()
        await widget('Sales').getByText('1 to 2 of 2').waitFor()
        await widget('Jobs').getByRole('link', { name: 'Gauge / Outer level: Major' }).waitFor()
        await widget('Wrong').getByRole('link', { name: 'Outer level' }).waitFor()
        await widget('Service').getByText('Protection').waitFor()
        await widget('Gone').getByText('may not see this').waitFor()
        await widget('No such column').getByText('has no column').waitFor()
        await widget('Embedded').getByText('Inside').waitFor()
        await page.getByText('This page cannot draw this widget').waitFor()
        await widget('Where').getByRole('group', { name: 'Where: 4 places, 2 in trouble.' }).waitFor()
        await widget('Months').getByRole('group', { name: 'Months: north from 20 to 41' }).waitFor()
        await widget('Months').getByText('north 20, south 31, west 42, sum 93').waitFor({ state: 'attached' })
        const heat = widget('Best months').getByRole('table')
        await heat.getByRole('row', { name: /^south 31 38 no value/ }).waitFor()
        expect(await page.title()).toBe('Storm desk · Tidemark')
        expect(await page.getByRole('link', { name: 'this' }).count()).toBe(0)
        await check('all')
        await widget('Levels').getByRole('button', { name: 'Levels as a table' }).click()
        await widget('Levels').getByRole('columnheader', { name: 'Time' }).waitFor()
        await check('table')

        await page.getByLabel('Region', { exact: true }).selectOption('South')
        await widget('Sales').getByText('1 to 1 of 1').waitFor()
        expect(new URL(page.url()).searchParams.get('p.region')).toBe('south')
        await page.getByLabel('At least').fill('100')
        await widget('Sales').getByText('No rows').waitFor()
        await page.reload()
        await widget('Sales').getByText('No rows').waitFor()
        expect(await page.getByLabel('Region', { exact: true }).inputValue()).toBe('south')
        await page.getByRole('button', { name: '7 days' }).click()
        expect(new URL(page.url()).searchParams.get('from')).toBe('-P7D')
      }),
    TEST_MAX_MS,
  )

  test(
    'a dashboard becomes the one that its user sees first, and no longer is',
    () =>
      stage.visit('dashboards/storm-desk', {}, async ({ page, check }) => {
        const choose = async (item: string): Promise<void> => {
          await page.getByRole('button', { name: 'More for Storm desk' }).click()
          await page.getByRole('menuitem', { name: item }).click()
        }
        await choose('Make it my start dashboard')
        await page.getByText('Storm desk is your start dashboard').waitFor()
        await page.getByRole('link', { name: 'Overview' }).click()
        await page.getByRole('link', { name: 'Your start dashboard' }).click()
        await page.getByRole('heading', { level: 1, name: 'Storm desk' }).waitFor()
        expect(new URL(page.url()).pathname).toEndWith('/ui/dashboards/storm-desk')
        await page.goto(`${stage.url}/ui/dashboards?name=storm`)
        const row = page.getByRole('row', { name: /^Storm desk/ })
        await row.getByText('start dashboard').waitFor()
        await check('start')
        await row.getByRole('link', { name: 'Storm desk' }).click()
        await choose('No longer my start dashboard')
        await page.getByText('Storm desk is no longer your start dashboard').waitFor()
        await page.getByRole('link', { name: 'Overview' }).click()
        await page.locator('#headline').waitFor()
        expect(await page.getByRole('link', { name: 'Your start dashboard' }).count()).toBe(0)
      }),
    TEST_MAX_MS,
  )

  test(
    'all data of a page come in one call, and a viewer who may read it sees no control that changes it',
    () =>
      stage.visit('dashboards/storm-desk', { as: 'dashboard_viewer' }, async ({ page }) => {
        const calls: string[] = []
        page.on('request', (request) => {
          if (request.url().endsWith('/data')) calls.push(request.url())
        })
        await page.reload()
        await page.getByRole('region', { name: 'Duty' }).waitFor()
        await page.getByRole('region', { name: 'Sales by region' }).getByText('north').first().waitFor()
        // The embedded dashboard has data of its own.
        expect(calls.length).toBe(2)
      }),
    TEST_MAX_MS,
  )

  test(
    'widgets are added, moved, resized, configured and removed by keys and by the pointer, and saved past another user',
    async () => {
      const { client } = stage
      const made = await good<{ readonly id: number }>(
        client.request('POST', '/dashboards', { json: { name: 'Pumps', groupId: ids['boards'] } }),
      )
      await stage.visit('dashboards/pumps', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 412/)
        await page.getByRole('button', { name: 'Edit', exact: true }).click()
        const dialog = page.getByRole('dialog')
        const add = async (kind: string, title: string): Promise<void> => {
          await page.getByRole('button', { name: 'Add a widget' }).click()
          await dialog.getByRole('button', { name: kind, exact: true }).click()
          await dialog.getByLabel('Title').fill(title)
        }
        await add('Text', 'Duty')
        await dialog.getByLabel('Text', { exact: true }).fill('**Ilse** until 18:00')
        await page.keyboard.press('Control+Enter')
        await add('Value', 'Outer')
        await dialog.getByLabel('Job', { exact: true }).fill('Outer')
        await dialog.getByRole('button', { name: 'Outer level' }).click()
        const value = dialog.getByLabel('Value of the job').locator('option:checked')
        await value.filter({ hasText: 'level' }).waitFor({ state: 'attached' })
        await check('configure')
        await dialog.getByRole('button', { name: 'Apply' }).click()
        const widget = (name: string) => page.locator(`section.widget[aria-label^="${name}:"]`)
        const placeOf = async (name: string) =>
          (await widget(name).getAttribute('aria-label'))?.match(/\d+/g)?.map(Number)
        expect(await placeOf('Duty')).toEqual([1, 1, 4, 2])
        expect(await placeOf('Outer')).toEqual([5, 1, 3, 2])

        await widget('Outer').focus()
        await page.keyboard.press('Alt+ArrowRight')
        await page.keyboard.press('Alt+Shift+ArrowDown')
        expect(await placeOf('Outer')).toEqual([6, 1, 3, 3])
        await page.getByText('Column 6, row 1, 3 wide, 3 high').waitFor({ state: 'attached' })
        const box = await widget('Outer').locator('header h2').boundingBox()
        if (!box) throw new Error('The widget has no place.')
        await page.mouse.move(box.x + 5, box.y + 5)
        await page.mouse.down()
        await page.mouse.move(box.x + 300, box.y + 105, { steps: 4 })
        await page.mouse.up()
        const [column = 0, row = 0] = (await placeOf('Outer')) ?? []
        expect([column > 6, row]).toEqual([true, 2])
        await check('edited')
        await widget('Duty').focus()
        await page.keyboard.press('Delete')
        await widget('Duty').waitFor({ state: 'detached' })
        // An undone removal keeps the changes that followed it.
        await widget('Outer').focus()
        await page.keyboard.press('Alt+Shift+ArrowDown')
        const moved = await placeOf('Outer')
        await page.getByRole('button', { name: 'Undo' }).click()
        await widget('Duty').waitFor()
        expect([await placeOf('Outer'), moved?.[3]]).toEqual([moved, 4])

        // Another user saves meanwhile.
        await good(
          client.request('PATCH', `/dashboards/${made.id}`, { json: { definition: { refresh: 'PT5M' } } }),
        )
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByText('Another user has saved it meanwhile').waitFor()
        await check('conflict')
        await page.getByRole('button', { name: 'Keep mine, then save' }).click()
        await page.getByText('Another user has saved it meanwhile').waitFor({ state: 'detached' })
        // A widget is moved while the dashboard is stored: it stays moved, and is stored by the next save.
        const saves = await heldAnswers(page, /\/dashboards\/\d+$/, 'PUT')
        await page.getByRole('button', { name: 'Save', exact: true }).dblclick()
        await widget('Outer').focus()
        await page.keyboard.press('Alt+ArrowDown')
        saves.end()
        await page.getByText('Saved', { exact: true }).waitFor()
        expect((await placeOf('Outer'))?.[1]).toBe(3)
        await page.getByRole('button', { name: 'Save', exact: true, disabled: false }).click()
        await page.getByRole('button', { name: 'Done' }).click()
        await page.getByRole('region', { name: 'Outer', exact: true }).waitFor()
        const { definition } = await good<{
          readonly definition: {
            readonly pages: readonly { readonly items: readonly { w: number; y: number }[] }[]
          }
        }>(client.request('GET', `/dashboards/${made.id}`))
        expect(definition.pages[0]?.items.find(({ w }) => w === 3)?.y).toBe(2)
        await page.getByRole('region', { name: 'Outer', exact: true }).getByText('3.2').waitFor()
        await page.getByText('until 18:00').waitFor()
      })
    },
    TEST_MAX_MS,
  )

  test('in a narrow window, the menu of a dashboard is beside its title', () =>
    stage.visit('dashboards/storm-desk', { width: 'narrow' }, async ({ page }) => {
      const middle = async (name: string) => {
        const box = await page.getByRole('button', { name }).boundingBox()
        return box && box.y + box.height / 2
      }
      await page.getByRole('button', { name: 'More for Storm desk' }).waitFor()
      const title = await page.getByRole('heading', { level: 1 }).boundingBox()
      const [menu, edit] = [await middle('More for Storm desk'), await middle('Edit')]
      expect(menu).toBeLessThan(title ? title.y + title.height : 0)
      expect(edit).toBeGreaterThan(title ? title.y + title.height : 0)
    }))

  test(
    'a printed dashboard has no controls, and the places of its widgets at any width',
    () =>
      stage.visit('dashboards/storm-desk', {}, async ({ page }) => {
        const widget = (name: string) => page.getByRole('region', { name, exact: true })
        await widget('Levels').locator('canvas').waitFor()
        await page.setViewportSize({ width: 794, height: 1123 })
        await page.emulateMedia({ media: 'print' })
        await page.getByRole('navigation').first().waitFor({ state: 'hidden' })
        const buttons = page.locator('main').getByRole('button').filter({ visible: true })
        await until(async () => (await buttons.count()) === 0)
        const [levels, clock] = await Promise.all(
          ['Levels', 'Clock'].map(async (name) => widget(name).boundingBox()),
        )
        expect(levels?.y).toBe(clock?.y)
      }),
    TEST_MAX_MS,
  )

  test(
    'versions of a dashboard have the user and the difference from the present one, and one is restored',
    async () => {
      const { client } = stage
      const json = { name: 'Sluices', groupId: ids['boards'] }
      const { id } = await good<{ readonly id: number }>(client.request('POST', '/dashboards', { json }))
      const definition = {
        widgets: { note: { kind: 'text', title: 'Note', markdown: 'Closed at noon' } },
        pages: [{ id: 'main', title: '', items: [{ widget: 'note', x: 0, y: 0, w: 12, h: 2 }] }],
      }
      await good(client.request('PATCH', `/dashboards/${id}`, { json: { definition } }))
      await stage.visit('dashboards/sluices', {}, async ({ page, check }) => {
        await page.getByText('Closed at noon').waitFor()
        await page.getByRole('button', { name: 'More for Sluices' }).click()
        await page.getByRole('menuitem', { name: 'Versions' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('row', { name: /^2 .* admin/ }).waitFor()
        await dialog.getByRole('button', { name: 'Compare version 1 ' }).click()
        const changes = dialog.getByRole('region', { name: 'Changes since version 1' })
        const rows = changes.getByRole('row').filter({ hasText: 'Note: ' })
        await rows.first().waitFor()
        const cellsOf = async (row: typeof rows) => row.getByRole('cell').allTextContents()
        expect(await Promise.all((await rows.all()).map(cellsOf))).toEqual([
          ['Note: Type', '–', 'Text'],
          ['Note: Text', '–', 'Closed at noon'],
          ['Note: Title', '–', 'Note'],
          ['Note: Place', '–', 'Column 1, row 1, 12 wide, 2 high'],
        ])
        await check('versions')
        await dialog.getByRole('button', { name: 'Restore version 1' }).click()
        await page.getByText('No widgets yet').waitFor()
      })
    },
    TEST_MAX_MS,
  )

  test(
    'the values of a group hold for its dashboards that have none of their own',
    () =>
      stage.visit(`dashboards?group=${ids['boards']}`, {}, async ({ page }) => {
        const dialog = page.getByRole('dialog')
        const write = async (values: string): Promise<void> => {
          await page.getByRole('button', { name: 'More for Coast' }).click()
          await page.getByRole('menuitem', { name: 'Edit group' }).click()
          await dialog.getByLabel('Values of parameters').fill(values)
          await dialog.getByRole('button', { name: 'Save' }).click()
          await dialog.waitFor({ state: 'detached' })
        }
        await write('least=40, region=south')
        await page.getByRole('link', { name: 'Storm desk' }).click()
        await page.getByRole('region', { name: 'Sales', exact: true }).getByText('No rows').waitFor()
        expect(await page.getByLabel('At least').inputValue()).toBe('40')
        expect(await page.getByLabel('Region', { exact: true }).inputValue()).toBe('north')
        await page.goBack()
        await write('')
      }),
    TEST_MAX_MS,
  )

  test(
    'a dashboard is exported, and imported again: the outcome is shown before anything is stored',
    () =>
      stage.visit('dashboards/inside', {}, async ({ page, check }) => {
        await page.getByRole('button', { name: 'More for Inside' }).click()
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: 'Export' }).click(),
        ])
        expect(download.suggestedFilename()).toBe('inside.json')
        const text = await Bun.file(await download.path()).text()
        await page.getByRole('link', { name: 'Dashboards' }).first().click()
        await page.getByRole('button', { name: 'More for Dashboards' }).click()
        await page.getByRole('menuitem', { name: 'Import dashboards' }).click()
        const dialog = page.getByRole('dialog')
        const choose = (content: string) =>
          dialog.locator('input[type=file]').setInputFiles({
            name: 'inside.json',
            mimeType: 'application/json',
            buffer: Buffer.from(content),
          })
        await choose('no json')
        await dialog.getByText('inside.json is not an export of dashboards').waitFor()
        await choose(text)
        await dialog.getByText('stays: it is equal').waitFor()
        await dialog.getByLabel('Dashboards that are here already').selectOption('are added once more')
        await dialog.getByText('is added once more').last().waitFor()
        await check('import')
        await dialog.getByRole('button', { name: 'Import', exact: true }).click()
        await dialog.getByText('The import is done').waitFor()
        await dialog.getByRole('link', { name: 'Inside' }).waitFor()
      }),
    TEST_MAX_MS,
  )

  test(
    'no script of a title, of Markdown or of an image runs, neither for users nor under a public link',
    async () => {
      const { client } = stage
      const spoil = "document.documentElement.dataset.spoiled='yes'"
      const name = `"><img src=x onerror="${spoil}">`
      const image = `<svg xmlns="http://www.w3.org/2000/svg" onload="${spoil}"><script>${spoil}</script></svg>`
      await good(
        client.request('POST', '/files/spoiled.svg', {
          text: image,
          headers: { 'content-type': 'image/svg+xml' },
        }),
      )
      const markdown = `${name}\n\n<script>${spoil}</script>\n\n[run](javascript:${encodeURI(spoil)}) [data](data:text/html,<script>${spoil}</script>) end`
      const widgets = {
        text: { kind: 'text', title: name, description: name, markdown },
        image: { kind: 'image', title: 'Picture', file: 'spoiled.svg', alt: name },
      }
      const items = Object.keys(widgets).map((widget, at) => ({ widget, x: 0, y: 4 * at, w: 12, h: 4 }))
      const board = await good<{ readonly id: number }>(
        client.request('POST', '/dashboards', {
          json: {
            name,
            urlName: 'spoiled',
            definition: { widgets, pages: [{ id: 'main', title: name, items }] },
          },
        }),
      )
      await good(client.request('PATCH', '/settings.json', { json: { publicDashboards: true } }))
      const link = await good<{ readonly path: string }>(
        client.request('PUT', `/dashboards/${board.id}/public`, { json: {} }),
      )
      for (const path of ['dashboards/spoiled', `public/${link.path.split('/').at(-1)}`])
        await stage.visit(path, {}, async ({ page }) => {
          await page.getByRole('heading', { level: 1, name }).waitFor()
          await page.getByText('end', { exact: false }).last().waitFor()
          await page.getByRole('img', { name }).waitFor()
          expect(await page.evaluate('document.documentElement.dataset.spoiled ?? null')).toBeNull()
          expect(await page.locator('main [onerror], main [onload], main script').count()).toBe(0)
          expect(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count()).toBe(0)
        })
    },
    TEST_MAX_MS,
  )

  test(
    'a public dashboard links to no object, and lines of one name have numbers',
    async () => {
      const { client } = stage
      await good(client.request('PATCH', '/settings.json', { json: { publicDashboards: true } }))
      const { path } = await good<{ readonly path: string }>(
        client.request('PUT', `/dashboards/${boardId}/public`, { json: {} }),
      )
      await stage.visit(`public/${path.split('/').at(-1)}`, { as: null }, async ({ page, check }) => {
        const widget = (name: string) => page.getByRole('region', { name, exact: true })
        for (const line of ['level 1, m', 'level 2, m'])
          await widget('Levels').getByText(line, { exact: true }).waitFor()
        await widget('Highest level').getByText('Gauge / Outer level').waitFor()
        await widget('Jobs').getByRole('img', { name: 'Gauge / Outer level: Major' }).waitFor()
        await widget('Service').getByText('Protection').waitFor()
        expect(await page.locator('main a:not([href="https://example.org"])').count()).toBe(0)
        await check('public')
      })
      await good(client.request('DELETE', `/dashboards/${boardId}/public`))
    },
    TEST_MAX_MS,
  )

  test(
    'widgets are sent by mail with the data of the page, and each recipient has the answer of the mail server',
    async () => {
      const { client } = stage
      const make = (json: object) =>
        good<{ readonly id: number }>(client.request('POST', '/alarmrecipients', { json }))
      const group = await good<{ readonly id: number }>(
        client.request('POST', '/userGroups', { json: { name: 'readers' } }),
      )
      await make({ name: 'Office', type: 'email', target: { addresses: ['office@example.org'] } })
      await make({ name: 'Readers', type: 'group', target: { userGroupId: group.id } })
      const leaving = await make({
        name: 'Leaving',
        type: 'email',
        target: { addresses: ['x@example.org'] },
      })
      await make({ name: 'Chat', type: 'slack', target: { url: 'https://chat.example.org/hook' } })
      await stage.visit('dashboards/storm-desk?from=-P7D', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 422/)
        await page.getByRole('button', { name: 'More for Storm desk' }).click()
        await page.getByRole('menuitem', { name: 'Send by mail' }).click()
        const dialog = page.getByRole('dialog')
        const send = dialog.getByRole('button', { name: 'Send', exact: true })
        const recipients = dialog.getByRole('group', { name: 'Recipients' })
        await recipients.getByLabel('Office').waitFor()
        expect(await recipients.getByRole('checkbox').count()).toBe(3)
        expect(await send.getAttribute('aria-disabled')).toBe('true')
        const widgets = dialog.getByRole('group', { name: 'Widgets in the mail' })
        expect(await widgets.getByLabel('Levels', { exact: true }).isChecked()).toBe(true)
        for (const box of await widgets.getByRole('checkbox').all()) await box.uncheck()
        await widgets.getByLabel('Levels', { exact: true }).check()
        await widgets.getByLabel('Highest level').check()
        await dialog.getByLabel('Subject').fill('Levels of the week')
        for (const name of ['Office', 'Readers', 'Leaving']) await recipients.getByLabel(name).check()
        await check('mail')
        // A recipient is deleted meanwhile.
        await good(client.request('DELETE', `/alarmrecipients/${leaving.id}`))
        await send.click()
        await dialog.getByText('must be the id of an alarm recipient that gets mails').waitFor()
        await recipients.getByLabel('Leaving').uncheck()
        await send.click()
        await dialog.getByText('Sent to 1 recipient, 1 failed.').waitFor()
        await dialog.getByText('No member has a mail address.').waitFor()
        await check('mailed')
        // An alarm may be mailed as well.
        const letters = mail.take().filter(({ text }) => text.includes('Subject: Levels of the week\r\n'))
        expect(letters.map(({ to }) => to)).toEqual([['office@example.org']])
        expect(letters[0]?.text.match(/filename=/g)).toHaveLength(2)
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a wall shows dashboards by turns, without controls',
    () =>
      stage.visit(
        'wall?dashboards=storm-desk,inside&every=5',
        { as: 'dashboard_viewer' },
        async ({ page, check }) => {
          await page.getByRole('heading', { name: 'Storm desk' }).waitFor()
          await page.getByRole('region', { name: 'Highest level' }).getByText('3.2').waitFor()
          expect(await page.evaluate<string[]>(CUT)).toEqual([])
          await page.locator('.wall [data-kind=alarms] li').first().waitFor()
          expect(await page.evaluate<unknown[]>(ALARM_ROWS)).toEqual([true, 0])
          await page.locator('.wall [data-kind=history] canvas').nth(1).waitFor()
          const belowPx = await page.evaluate<number[]>(BELOW_CHARTS)
          expect([belowPx.length, Math.max(...belowPx) < BELOW_CHART_MAX_PX]).toEqual([2, true])
          await check('wall')
          await page.addInitScript(FIRST_SPOTS)
          await page.setViewportSize({ width: 390, height: 844 })
          await page.reload()
          await page.getByRole('heading', { name: 'Storm desk' }).waitFor()
          await page.locator('.spot').first().waitFor()
          expect(await page.evaluate('beyond')).toEqual([])
          await page.getByRole('heading', { name: 'Inside' }).waitFor()
          await page.getByRole('heading', { name: 'Storm desk' }).waitFor()
        },
      ),
    TEST_MAX_MS,
  )

  test(
    'places of a table are on a map without a request to another host, as clusters with their worst state and with links, and in a list',
    () =>
      stage.visit('map', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 503|answers 503/)
        await page.getByText('No places yet').waitFor()
        await check('map-empty')
        await page.getByLabel('Data source', { exact: true }).selectOption('Shop')
        const reads = new Reads(page)
        await reads.begin(UNCHANGED_ON_MAP)
        reads.set('wait')
        await page.getByLabel('Table of the places').selectOption('stations')
        await page.locator('.map-screen .skel').first().waitFor()
        reads.set(503)
        const failed = page.getByRole('alert').filter({ hasText: 'The places could not be read' })
        await failed.getByText('The database does not answer.').waitFor()
        expect(await page.locator('.map-screen').count()).toBe(0)
        await check('map-failed')
        reads.set('pass')
        await failed.getByRole('button', { name: 'Try again' }).click()
        await page.getByText('Column of the latitude').waitFor()
        await page.getByLabel('Column of the name').selectOption('name')
        await page.getByText('4 places, 2 in trouble.').waitFor()
        const list = page.getByRole('list', { name: 'Places' })
        const first = list.getByRole('button').first()
        await first.getByText('Major', { exact: true }).waitFor({ state: 'attached' })
        await first.getByText('2 places').waitFor()
        await first.getByText('1 Major, 1 Ok').waitFor()
        await check('map')

        await list.getByRole('button', { name: 'Places of the cluster: 2' }).click()
        const dialog = page.getByRole('dialog', { name: '2 places of the cluster' })
        await dialog.getByRole('row', { name: 'Harlingen harbour Ok' }).waitFor()
        await check('map-members')
        await page.evaluate(FOCUS_AFTER_DIALOG)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        // The focus is where it was before the dialog, at once: a key that follows is not taken by another control.
        expect(await page.evaluate<string>('focusAfterDialog')).toBe('Places of the cluster: 2')

        // A cluster opens into its places, by keys alone.
        await first.focus()
        await page.keyboard.press('Enter')
        await list.getByText('Harlingen harbour').waitFor()
        await page.waitForURL(/at=53\.17/)
        const zoomed = new URL(page.url()).searchParams.get('at')
        await page.reload()
        await list.getByText('Harlingen harbour').waitFor()
        expect(new URL(page.url()).searchParams.get('at')).toBe(zoomed)
        const map = page.getByRole('group', { name: /place/ })
        await map.focus()
        await page.keyboard.press('Home')
        await page.getByText('4 places, 2 in trouble.').waitFor()

        await page.getByText('Shop / stations').click()
        await page.getByLabel('Table of the links').selectOption('cables')
        await page.getByLabel('Begin of a link').selectOption('from')
        await page.getByLabel('End of a link').selectOption('to')
        await page.getByLabel('State of a link').selectOption('state')
        for (const name of ['2 places', 'Delfzijl'])
          await list.getByRole('button', { name }).getByText('1 link', { exact: true }).waitFor()
        await page.locator('.map-view .links line[data-s=minor]').waitFor()
        expect(await page.locator('.map-view .links line').count()).toBe(1)
        await check('map-links')
      }),
    TEST_MAX_MS,
  )

  test(
    'the map and a forecast choose columns among the columns of a data query',
    () =>
      stage.visit('map', {}, async ({ page, check }) => {
        const choice = (name: string) => page.getByRole('combobox', { name, exact: true })
        await choice('Or a data query').selectOption('Stations')
        await page.getByText('4 places, 2 in trouble.').waitFor()
        await choice('Column of the name').selectOption('name')
        await page.getByRole('list', { name: 'Places' }).getByText('Delfzijl').waitFor()
        await check('map-query')
        await page.goto(`${stage.url}/ui/forecasts/new`)
        await page.getByRole('button', { name: 'Data query', exact: true }).click()
        await choice('Data query').selectOption('Months')
        await choice('Column of the values').waitFor()
        expect(await choice('Column of the values').inputValue()).toBe('amount')
        expect(await choice('Column of the times').getByRole('option').allTextContents()).toEqual([
          'month',
          'region',
          'amount',
        ])
      }),
    TEST_MAX_MS,
  )
})
