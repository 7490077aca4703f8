import { expect, test } from 'bun:test'

import { connectAdministrator } from '../../api/client.ts'
import type { Body } from '../../api/client.ts'
import { good } from '../../api/suite.ts'
import { lengthen } from '../long-lists.ts'
import { onMainHost } from '../stage.ts'
import type { Stage } from '../stage.ts'

const TEST_MAX_MS = 240_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The access token of the page ends while the clock leaps; the page renews it. */
const LEAP = /status of 401/

type Planted = {
  readonly job: number
  readonly service: number
  readonly above: number
  readonly container: number
}

/** A job, a service over it that costs 18 EUR a minute, a service above, and a container over that with a budget for each day. */
async function plant({ client }: Stage): Promise<Planted> {
  const post = async (path: string, json: unknown): Promise<number> =>
    Number((await client.request('POST', path, { json })).body['id'])
  const link = (type: string, id: number, child: number) =>
    client.request('PUT', `/${type}/${id}/children`, { json: { items: [{ id: child }] } })
  const mark = crypto.randomUUID().slice(0, 8)
  const group = await post('/groups?parentId=1', { name: `plant ${mark}` })
  const device = await post(`/devices?parentId=${group}`, { name: `station ${mark}` })
  const thresholds = { major: { conditions: [{ key: 'errorCode', operator: '<>', value: 0 }] } }
  const job = await post(`/jobs?parentId=${device}`, { name: `Pump ${mark}`, thresholds })
  const service = await post(`/slos?parentId=${group}`, {
    name: `Pumping ${mark}`,
    parameters: { costsPerMin: 18, currency: 'EUR' },
  })
  await link('slo', service, job)
  const above = await post(`/slos?parentId=${group}`, { name: `Dry feet ${mark}` })
  await link('slo', above, service)
  const container = await post(`/slcs?parentId=${group}`, {
    name: `Contract ${mark}`,
    limit: 95,
    duration: 'day',
    timezone: noonZone(),
  })
  await link('slc', container, above)
  return { job, service, above, container }
}

/** A zone in which it is noon: a day of it ends hours after the test. */
function noonZone(): string {
  const ahead = 12 - new Date().getUTCHours()
  return ahead === 0 ? 'Etc/UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

const deliver = ({ client }: Stage, job: number, errorCode: number) =>
  client.request('POST', `/webcollector/jobs/${job}/values`, { json: { errorCode } })

const read = async ({ client }: Stage, path: string): Promise<Body> =>
  (await client.request('GET', path)).body

onMainHost('levels', (stage) => {
  test(
    'a service is created with a rule in words, gets a member, and is deleted with its effect counted',
    async () => {
      const { job } = await plant(stage)
      const { name } = await read(stage, `/jobs/${job}`)
      await stage.visit('slos', {}, async ({ page, check, expectProblem }) => {
        // An event of the deletion may come before its answer: then the page reads what is deleted.
        expectProblem(/status of (404|422)/)
        await page.getByRole('button', { name: 'New service' }).first().click()
        await page.getByRole('dialog').getByLabel('Name').fill('Till service')
        await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
        await page.getByText('No member counts yet.').waitFor()
        await page.getByRole('tab', { name: 'Overview' }).click()
        await page.getByRole('button', { name: 'Add a member' }).first().click()
        const form = page.getByRole('dialog')
        await form.getByLabel('Member', { exact: true }).fill(String(name))
        await form.getByRole('button', { name: String(name) }).click()
        await form.getByLabel('Counts as', { exact: true }).fill('2')
        await form.getByLabel('Warning counts as').selectOption('ok')
        await form.getByRole('button', { name: 'Add a member' }).click()
        await page.getByText('counts as 2, Warning counts as Ok').waitFor()
        const added = Number(new URL(page.url()).pathname.split('/').at(-1))
        const others = await plant(stage)
        const json = { items: [{ id: others.service }] }
        await good(stage.client.request('PUT', `/slo/${added}/children?mode=merge`, { json }))
        const { name: second } = await read(stage, `/slos/${others.service}`)
        await page.reload()
        await page.getByText('as they were added').waitFor()
        await page.getByRole('button', { name: 'Change the order' }).click()
        await form.getByRole('button', { name: `Move ${String(second)} up` }).focus()
        await page.keyboard.press('Alt+ArrowUp')
        await form.getByText(`${String(second)} is 1 of 2`).waitFor({ state: 'attached' })
        await check('member-order')
        await form.getByRole('button', { name: 'Save' }).click()
        await form.waitFor({ state: 'detached' })
        const list = (await read(stage, `/slos/${added}/children`))['items'] as {
          id: number
          weight: number
        }[]
        expect(list).toMatchObject([{ id: others.service }, { id: job, weight: 2 }])
        await good(stage.client.request('PUT', `/slo/${added}/children?mode=remove`, { json }))
        await page.reload()
        await page.getByRole('tab', { name: 'Configuration' }).click()
        await page.getByLabel('A state needs').selectOption('count')
        await page.getByText('Always ok: no number of bad members is given.').waitFor()
        await page.getByLabel('… are major').first().fill('2')
        await page.getByText('Major when all 2 members are major. Otherwise ok.').waitFor()
        await page.getByLabel('Currency').fill('ABC')
        await page.getByRole('button', { name: 'Save', disabled: false }).click()
        await page.getByText('must be an ISO 4217 currency code').waitFor()
        await page.getByLabel('Currency').fill('chf')
        await page.getByLabel('Cost a minute').fill('2,5')
        await page.getByRole('button', { name: 'Add a property' }).click()
        await page.getByLabel('Key').fill('contract')
        await page.getByLabel('Value', { exact: true }).fill('A-7')
        await check('service-configuration')
        await page.getByRole('button', { name: 'Save', disabled: false }).click()
        await page.getByText('Saved', { exact: true }).waitFor()
        const id = Number(new URL(page.url()).pathname.split('/').at(-1))
        expect(await read(stage, `/slos/${id}`)).toMatchObject({
          stateOperation: 'count',
          major: 2,
          parameters: { children: 1, costsPerMin: 2.5, currency: 'CHF' },
          properties: [{ key: 'contract', value: 'A-7' }],
        })
        await page.getByRole('button', { name: 'More about Till service' }).click()
        await page.getByRole('menuitem', { name: 'Delete' }).click()
        await page.getByText('Its only member stays.').waitFor()
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
        await page.getByText('Till service is deleted').waitFor()
        expect((await stage.client.request('GET', `/slos/${id}`)).status).toBe(404)
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a container is created with hours of service; of two editors the second sees both versions',
    async () => {
      await stage.visit('slos', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of (412|422)/)
        await page.getByRole('button', { name: 'New container' }).first().click()
        const form = page.getByRole('dialog')
        await form.getByLabel('Name').fill('Office hours')
        await form.getByLabel('Agreed availability').fill('99')
        await form.getByLabel('Period', { exact: true }).selectOption('week')
        await form.getByLabel('A period begins').selectOption('day')
        await check('new-container')
        await form.getByRole('button', { name: 'Create' }).click()
        await page.getByText('99% of each week must be good').waitFor()
        await page.getByRole('button', { name: 'Add hours' }).click()
        await page.getByRole('button', { name: 'Fri' }).click()
        await page.getByText('Only the service hours count: Mon, Tue, Wed, Thu 08:00–18:00.').waitFor()
        await page.getByLabel('Until').fill('07:00')
        await page.getByRole('button', { name: 'Save', disabled: false }).click()
        await page.getByText(/must be later than the begin/).waitFor()
        await page.getByLabel('Until').fill('17:00')
        const id = Number(new URL(page.url()).pathname.split('/').at(-1))
        await stage.client.request('PATCH', `/slcs/${id}`, { json: { limit: 98 } })
        await page.getByRole('button', { name: 'Save', disabled: false }).click()
        await page.getByText('Another user has saved it').waitFor()
        await page.getByRole('cell', { name: '98', exact: true }).waitFor()
        await check('container-conflict')
        await page.getByRole('button', { name: 'Keep mine, then save' }).click()
        await page.getByText('98% of each week must be good').waitFor()
        await page.getByRole('button', { name: 'Save', disabled: false }).click()
        await page.getByText('Saved', { exact: true }).waitFor()
        expect(await read(stage, `/slcs/${id}`)).toMatchObject({
          limit: 98,
          duration: 'week',
          resetInterval: 'day',
          activeTime: [
            { days: ['monday', 'tuesday', 'wednesday', 'thursday'], begin: '08:00', end: '17:00' },
          ],
        })
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a status page is published, opened, given new addresses, and unpublished',
    async () => {
      const { service } = await plant(stage)
      const publicPage = async () =>
        fetch(new URL(String((await read(stage, `/slo/${service}/status-page`))['page']), stage.url))
      await stage.visit(`slo/${service}?tab=page`, {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of (404|422)|ERR_FAILED/)
        await page.getByRole('button', { name: 'Publish' }).click()
        const form = page.getByRole('dialog')
        await form.getByLabel('Title').fill('Our pumps')
        await form.getByLabel('Days of availability').fill('91')
        await form.getByRole('button', { name: /^Pump/ }).click()
        await form.getByRole('button', { name: 'Publish' }).click()
        await form.getByText(/90/).last().waitFor()
        await form.getByLabel('Days of availability').fill('90')
        await form.getByRole('button', { name: 'Publish' }).click()
        await page.getByText('It covers 90 days and has one component:').waitFor()
        await check('status-page')
        const first = await publicPage()
        expect(await first.text()).toContain('Our pumps')
        expect(await page.getByRole('link', { name: 'Open the page' }).getAttribute('href')).toBe(
          new URL(first.url).pathname,
        )
        await page.getByRole('button', { name: 'New addresses' }).click()
        const reads = '**/status-page'
        await page.route(reads, (route) => route.abort())
        await page.getByRole('dialog').getByRole('button', { name: 'New addresses' }).click()
        await page.getByText('The page has new addresses').waitFor()
        expect((await fetch(first.url)).status).toBe(404)
        const second = await publicPage()
        const stale = page.locator('main .stale')
        await stale.getByText(/The service cannot be reached\. Last read .+ ago/).waitFor()
        await page.unroute(reads)
        await stale.getByRole('button', { name: 'Try again' }).click()
        await stale.waitFor({ state: 'detached' })
        await page.getByText(second.url).waitFor()
        await page.getByRole('button', { name: 'Unpublish' }).click()
        await page.getByText('with one component').waitFor()
        await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click()
        await page.getByText('It is not published.').waitFor()
        expect((await fetch(second.url)).status).toBe(404)
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a page of a group is published, with a job below it, from the list of all pages',
    async () => {
      const { job, service } = await plant(stage)
      const { name, deviceId } = await read(stage, `/jobs/${job}`)
      const { parentId: group } = await read(stage, `/devices/${Number(deviceId)}`)
      const { name: groupName } = await read(stage, `/groups/${Number(group)}`)
      await good(
        stage.client.request('PUT', `/slo/${service}/status-page`, { json: { title: 'Our service' } }),
      )
      await stage.visit('status-pages', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of (404|422)/)
        await page.getByRole('row', { name: /Our service/ }).waitFor()
        await check('status-pages-filled')
        await page.getByRole('button', { name: 'Publish a page' }).click()
        const choice = page.getByRole('dialog')
        await choice.getByLabel('Object', { exact: true }).fill(String(groupName))
        await choice
          .getByRole('button', { name: String(groupName) })
          .first()
          .click()
        await choice.getByRole('button', { name: 'Next' }).click()
        await lengthen(page, /\/children\?|\/searchPath\?/)
        await page.getByRole('button', { name: 'Publish' }).click()
        const form = page.getByRole('dialog')
        await form.getByText('These are of the first 50 members.').waitFor()
        await form.getByLabel('Title').fill('Our group')
        await form.getByLabel('Add an object below it').fill(String(name))
        await form.getByText('There can be more. Type more of the name.').waitFor()
        await form
          .getByRole('button', { name: String(name) })
          .first()
          .click()
        await form.getByRole('button', { name: `Remove ${String(name)}` }).waitFor()
        await form.getByRole('button', { name: 'Publish' }).click()
        await page.getByText('has one component:').waitFor()
        await check('status-page-of-a-group')
        const shown = await read(stage, `/group/${Number(group)}/status-page`)
        expect(shown).toMatchObject({ title: 'Our group', children: [{ id: job }] })
        await page.getByRole('link', { name: 'Status pages' }).first().click()
        await page.getByRole('row', { name: /Our group.*one component/ }).waitFor()
        expect(
          await page
            .getByRole('link', { name: `Open the page of ${String(groupName)}` })
            .getAttribute('href'),
        ).toBe(String(shown['page']))
        await page.goto(`${stage.url}/ui/group/${Number(group)}`)
        await page.getByRole('button', { name: `More actions on ${String(groupName)}` }).click()
        await page.getByRole('menuitem', { name: 'Status page' }).click()
        await page.getByText('has one component:').waitFor()
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a viewer reads which right a change needs',
    async () => {
      const { service } = await plant(stage)
      await stage.visit(`slo/${service}`, { as: 'dashboard_viewer' }, async ({ page }) => {
        const add = page.getByRole('button', { name: 'Add a member' }).first()
        expect(await add.getAttribute('title')).toMatch(/^You need the right to change Pumping/)
      })
    },
    TEST_MAX_MS,
  )
})

onMainHost(
  'levels-outage',
  (stage) => {
    test(
      'an outage runs: the reason path names the job, budget and cost move; the period of the day before stays final',
      async () => {
        const { job, service, above, container } = await plant(stage)
        const { name: pump } = await read(stage, `/jobs/${job}`)
        await deliver(stage, job, 0)
        const begin = Date.now() + MINUTE_MS
        await stage.moveTo(begin)
        await deliver(stage, job, 1)
        await stage.moveTo(begin + 10 * MINUTE_MS)
        await stage.visit(`slo/${service}`, {}, async ({ page, check, expectProblem }) => {
          expectProblem(LEAP)
          await page.getByText(`because of ${String(pump)}`).waitFor()
          await page.getByRole('cell', { name: '10 min running' }).waitFor()
          await page.getByRole('cell', { name: '180 EUR' }).waitFor()
          const chart = page.getByRole('group', { name: /^Cost of outages, 30 days: .* last 180\sEUR$/ })
          await chart.focus()
          await page.keyboard.press('End')
          await chart.getByRole('status').getByText('180 EUR').waitFor({ state: 'attached' })
          await check('service')
          await page.keyboard.press('t')
          await chart.getByRole('columnheader', { name: 'Cost of outages, EUR' }).waitFor()
          await page.keyboard.press('t')
          await stage.moveTo(begin + 20 * MINUTE_MS)
          await page.getByRole('cell', { name: '360 EUR' }).waitFor()
        })
        await stage.visit(`slo/${above}`, {}, async ({ page }) => {
          await page.getByText('No cost a minute yet').waitFor()
          await page
            .getByRole('listitem')
            .filter({ hasText: String(pump) })
            .filter({ hasText: 'reason' })
            .last()
            .waitFor()
        })
        await stage.visit(`slc/${container}`, {}, async ({ page, check, expectProblem }) => {
          expectProblem(LEAP)
          await page.getByText('of 1 hr 12 min', { exact: true }).waitFor()
          const chart = page.getByRole('group', { name: /^Budget left, 1 day: .* last 72\.2%; limits/ })
          await chart.focus()
          await page.keyboard.press('End')
          await chart
            .getByRole('status')
            .getByText(/72\.2%, 52\smin left, [\d.]+% at a steady pace$/)
            .waitFor({ state: 'attached' })
          await page.keyboard.press('+')
          await page.getByRole('button', { name: 'Zoom out' }).click()
          await chart.waitFor()
          await page.keyboard.press('Home')
          const used = page.locator('.stat', { hasText: 'Used' })
          await used.getByText('20 min').waitFor()
          await page
            .getByRole('listitem')
            .filter({ hasText: String(pump) })
            .last()
            .waitFor()
          await check('container')
          await stage.moveTo(begin + 30 * MINUTE_MS)
          await used.getByText('30 min').waitFor()
        })
        await deliver(stage, job, 0)
        // A period of a day is over, and final five minutes later.
        await stage.moveTo(begin + 25 * HOUR_MS)
        const { host } = stage.client
        const later = await connectAdministrator(host)
        const frozen = async () => (await later.request('GET', `/slcs/${container}/periods`)).body['items']
        const before = (await frozen()) as { revisions: unknown[] }[]
        expect(before).toHaveLength(1)
        await stage.visit(`slc/${container}`, {}, async ({ page, check, expectProblem }) => {
          expectProblem(/ERR_FAILED/)
          const row = page.getByRole('row', { name: /final, revision 1/ })
          await row.getByRole('cell', { name: '30 min', exact: true }).waitFor()
          await row.getByRole('link').click()
          await page.getByRole('group', { name: /^Budget left, 1 day: lowest 58\.3%/ }).waitFor()
          await page.getByText('as it was counted, without later corrections').waitFor()
          await check('past-period')
          await page.route('**/burn*', (route) => route.abort())
          await page.reload()
          await page.getByText('The use of the budget could not be read').waitFor()
          await page.unroute('**/burn*')
          await page.getByRole('button', { name: 'Try again' }).click()
          await page.getByRole('group', { name: /^Budget left, 1 day: lowest 58\.3%/ }).waitFor()
          await page.getByRole('button', { name: 'Present period' }).click()
          await page.getByRole('group', { name: /^Budget left, 1 day: lowest 100%/ }).waitFor()
          await row.getByRole('button', { name: /^Recalculate/ }).click()
          const form = page.getByRole('dialog')
          await form.getByLabel('Reason').fill('checked with the customer')
          await form.getByRole('button', { name: 'Recalculate' }).click()
          await page.getByText('final, revision 2').waitFor()
          await page.getByText('final, revision 2').click()
          await page.getByText('checked with the customer').waitFor()
          await check('periods')
        })
        const after = (await frozen()) as { revisions: unknown[] }[]
        expect(after[0]?.revisions[0]).toEqual(before[0]?.revisions[0])
        expect(after[0]?.revisions).toHaveLength(2)
        await stage.moveTo(begin + 49 * HOUR_MS)
        await stage.visit(`slc/${container}`, {}, async ({ page, expectProblem }) => {
          expectProblem(LEAP)
          await page.route('**/periods?limit=*', (route) =>
            route.continue({
              url: route
                .request()
                .url()
                .replace(/limit=\d+/, 'limit=1'),
            }),
          )
          await page.reload()
          await page.getByRole('button', { name: 'Show more' }).click()
          await page.getByText('final, revision 2').waitFor()
          expect(await page.getByRole('button', { name: /^Recalculate/ }).count()).toBe(2)
        })
      },
      TEST_MAX_MS,
    )
  },
  { isByHand: true },
)
