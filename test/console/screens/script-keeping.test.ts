import { expect, test } from 'bun:test'

import { stageOf } from '../../api/runs-stage.ts'
import { good } from '../../api/suite.ts'
import { craft } from '../../packages/crafted.ts'
import { RUNNER_TOKEN } from '../../runs/fake-runner.ts'
import { lengthen } from '../long-lists.ts'
import { onMainHost } from '../stage.ts'

const TEST_MAX_MS = 180_000

type Configuration = {
  readonly name: string
  readonly arguments: readonly string[]
  readonly timeout: number | null
  readonly retries: number
  readonly envVariables: readonly { readonly key: string; readonly valueSet?: boolean }[]
}
type Schedule = {
  readonly id: number
  readonly name: string
  readonly enabled: boolean
  readonly cron: string
}

const zip = (files: Readonly<Record<string, string | Uint8Array>>) =>
  craft(Object.entries(files).map(([name, data]) => ({ name, data })))

onMainHost(
  'script keeping',
  (stage) => {
    test(
      'an archive is looked into before it is imported, replaces a script when asked, and is refused in words',
      async () => {
        const name = `orders ${crypto.randomUUID()}`
        const archive = zip({
          [`${name}.zip`]: zip({ 'main.py': 'print(1)\n', 'lib/read.py': '\n' }),
          'bare.zip': zip({ 'readme.txt': 'no program' }),
        })
        const { client } = stage
        const { id } = await good<{ id: number }>(client.request('POST', '/scripts', { json: { name } }))
        for (const path of ['main.py', 'old.py'])
          await good(client.request('PUT', `/scripts/${id}/files/${path}`, { text: 'old\n' }))
        await stage.visit('scripts', {}, async ({ page, check, expectProblem }) => {
          await page.getByRole('button', { name: 'Import a ZIP' }).click()
          const dialog = page.getByRole('dialog')
          const choose = (bytes: Uint8Array, file: string) =>
            dialog
              .getByLabel('Choose a ZIP archive')
              .setInputFiles({ name: file, mimeType: 'application/zip', buffer: Buffer.from(bytes) })
          expectProblem(/422/)
          await choose(new TextEncoder().encode('no archive'), 'broken.zip')
          await dialog.getByText('The archive was not imported').waitFor()

          await choose(archive, 'scripts.zip')
          const row = dialog.getByRole('listitem').filter({ hasText: name })
          await row.getByText('the name is taken').waitFor()
          expect(await dialog.getByLabel(name).isDisabled()).toBe(true)
          await dialog.getByText('No runner can start this script').waitFor()
          await dialog.getByText('1 file, ').click()
          await dialog.getByText('readme.txt').waitFor()
          await dialog.getByLabel('Replace scripts of the same name').check()
          await row.getByText('1 file added, 1 file changed, 1 file deleted').waitFor()
          await row.getByText('2 files, ').click()
          await row.getByText('lib/read.py').waitFor()
          await check('import')
          await dialog.getByLabel('bare').uncheck()
          await dialog.getByRole('button', { name: 'Import 1 script' }).click()
          await dialog.getByText('1 script is imported').waitFor()
          await dialog.getByRole('link', { name }).click()
          await page.getByRole('heading', { level: 1, name }).waitFor()
        })
        const files = await good<{ path: string; type: string }[]>(
          client.request('GET', `/scripts/${id}/files`),
        )
        expect(files.flatMap(({ path, type }) => (type === 'file' ? path : []))).toEqual([
          'lib/read.py',
          'main.py',
        ])
        expect((await client.request('GET', '/scripts/bare')).status).toBe(404)
      },
      TEST_MAX_MS,
    )

    test(
      'a script is created with its first file and run at once',
      () => {
        const name = `fresh ${crypto.randomUUID()}`
        return stage.visit('scripts', {}, async ({ page }) => {
          await page.getByRole('button', { name: 'New script' }).first().click()
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Name').fill(name)
          await dialog.getByLabel('Begins with').selectOption('run.sh')
          await dialog.getByRole('button', { name: 'Create' }).click()
          await page.getByLabel('Content of run.sh').waitFor()
          await page.getByRole('button', { name: 'Run', exact: true }).click()
          await page.getByRole('dialog').getByLabel('Arguments').fill('--day\n2026-03-02')
          await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
          await page.getByRole('heading', { level: 1, name: '--day 2026-03-02' }).waitFor()
          await page.getByRole('link', { name: 'Scripts' }).first().click()
          const row = page.getByRole('row').filter({ hasText: name })
          await row.getByText('Waits').waitFor()
          await lengthen(page, /\/jobs\?/)
          await row.getByRole('link', { name, exact: true }).click()
          await page.getByText('Only the latest 100 runs are shown.').waitFor()
        })
      },
      TEST_MAX_MS,
    )

    test(
      'a run configuration is created, changed beside another user, and deleted; its secret is never shown',
      async () => {
        const { client } = stage
        const { scriptId, configurationId } = await stageOf(client)
        const at = `/scripts/${scriptId}/runConfigurations`
        await stage.visit(`scripts/${scriptId}?tab=settings`, {}, async ({ page, check, expectProblem }) => {
          await page.getByRole('button', { name: 'New configuration' }).click()
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Name', { exact: true }).fill('nightly')
          await dialog.getByLabel('Arguments').fill('--full\ntwo words')
          await dialog.getByRole('button', { name: 'Add a variable' }).click()
          await dialog.getByLabel('Variable', { exact: true }).fill('API_TOKEN')
          await dialog.getByLabel('Secret').check()
          await dialog.getByLabel('Value').fill('hunter2-hunter2')
          await check('new-configuration')
          await dialog.getByRole('button', { name: 'Create' }).click()
          await dialog.waitFor({ state: 'detached' })
          await page.getByText('set, never shown').waitFor()

          await page.getByRole('link', { name: 'Edit nightly' }).click()
          await page.getByLabel('Retries').fill('2')
          const made = (await good<(Configuration & { id: number })[]>(client.request('GET', at))).find(
            (one) => one.name === 'nightly',
          )
          await good(client.request('PATCH', `${at}/${made?.id}`, { json: { timeout: 60 } }))
          expectProblem(/412/)
          await page.getByRole('button', { name: 'Save', disabled: false }).click()
          await page.getByText('Another user has saved it meanwhile').waitFor()
          await check('configuration-conflict')
          await page.getByRole('button', { name: 'Keep mine, then save' }).click()
          await page.getByRole('button', { name: 'Save', disabled: false }).click()
          await page.getByText('Saved', { exact: true }).waitFor()
          expect(await page.content()).not.toContain('hunter2')
          const stored = await good<Configuration>(client.request('GET', `${at}/${made?.id}`))
          expect(stored).toMatchObject({
            name: 'nightly',
            arguments: ['--full', 'two words'],
            timeout: 60,
            retries: 2,
            envVariables: [{ key: 'API_TOKEN', secret: true, valueSet: true }],
          })

          await page.getByRole('button', { name: 'All configurations' }).click()
          await page.getByRole('button', { name: 'Delete nightly' }).click()
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
          await page.getByRole('link', { name: 'Edit nightly' }).waitFor({ state: 'detached' })
        })
        const left = await good<{ id: number }[]>(client.request('GET', at))
        expect(left.map(({ id }) => id)).toEqual([configurationId])
      },
      TEST_MAX_MS,
    )

    test(
      'the settings of a script are changed after its files, and it is deleted once its use is confirmed',
      async () => {
        const { client } = stage
        const { scriptId, configurationId } = await stageOf(client)
        const recipient = `pump ${crypto.randomUUID()}`
        const target = { scriptId, runConfigurationId: configurationId }
        await good(
          client.request('POST', '/alarmrecipients', { json: { type: 'script', name: recipient, target } }),
        )
        const name = `orders ${crypto.randomUUID()}`
        const { name: former } = await good<{ name: string }>(client.request('GET', `/scripts/${scriptId}`))
        const path = `scripts/${encodeURIComponent(former)}?tab=settings`
        await stage.visit(path, {}, async ({ page, check, expectProblem }) => {
          await page.getByText(`recipient ${recipient}`).waitFor()
          await check('script-settings')
          await page.getByRole('link', { name: 'Edit settings' }).click()
          await page.getByLabel('Name').fill(name)
          await page.getByLabel('Description').fill('reads orders\nof the shop')
          await page.getByLabel('Timeout').fill('ten')
          await page.getByText('The timeout must be a whole number of seconds').waitFor()
          await page.getByLabel('Timeout').fill('90')
          await page.getByRole('button', { name: 'No types' }).click()
          await page.getByText('Choose types').click()
          await page.getByLabel('text/csv').check()
          await page.getByText(/^1 of \d+ types$/).waitFor()
          await check('script-form')
          // A change of the files makes another version of the script, but touches none of its settings.
          await good(client.request('PUT', `/scripts/${scriptId}/files/added.py`, { text: 'pass\n' }))
          expectProblem(/412/)
          await page.getByRole('button', { name: 'Save', disabled: false }).click()
          await page.getByText('Saved', { exact: true }).waitFor()
          await page.getByRole('heading', { level: 1, name }).waitFor()
          expect(new URL(page.url()).pathname).toBe(`/ui/scripts/${scriptId}`)
          expect(await good(client.request('GET', `/scripts/${scriptId}`))).toMatchObject({
            name,
            description: 'reads orders\nof the shop',
            timeout: 90,
            acceptedFiles: ['text/csv'],
          })

          await page.getByRole('button', { name: 'All settings' }).click()
          await page.getByText('reads orders').first().waitFor()
          await page.getByRole('button', { name: 'Delete script' }).click()
          const dialog = page.getByRole('dialog')
          await dialog.getByText(`recipient ${recipient}`).waitFor()
          const remove = dialog.getByRole('button', { name: 'Delete', exact: true })
          expect(await remove.getAttribute('aria-disabled')).toBe('true')
          await check('delete-script')
          await dialog.getByLabel('Delete the script although it is used').check()
          await remove.click()
          await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor()
          await page.getByText('is deleted').waitFor()
        })
        expect((await client.request('GET', `/scripts/${scriptId}`)).status).toBe(404)
      },
      TEST_MAX_MS,
    )

    test(
      'a script that came into use after the page was read is not deleted, and its users are named',
      async () => {
        const { client } = stage
        const { scriptId } = await stageOf(client)
        const recipient = `pump ${crypto.randomUUID()}`
        await stage.visit(`scripts/${scriptId}?tab=settings`, {}, async ({ page, check, expectProblem }) => {
          await page.getByRole('button', { name: 'Delete script' }).click()
          await good(
            client.request('POST', '/alarmrecipients', {
              json: { type: 'script', name: recipient, target: { scriptId } },
            }),
          )
          expectProblem(/409/)
          const dialog = page.getByRole('dialog')
          await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
          await dialog.getByRole('alert').getByText(recipient).waitFor()
          await check('script-in-use')
        })
        expect((await client.request('GET', `/scripts/${scriptId}`)).status).toBe(200)
      },
      TEST_MAX_MS,
    )

    test(
      'a schedule shows its next times before it is saved, is switched off, changed and deleted',
      async () => {
        const { client } = stage
        const { scriptId } = await stageOf(client)
        const at = `/scripts/${scriptId}/scheduleConfigurations`
        await stage.visit(`scripts/${scriptId}?tab=schedules`, {}, async ({ page, check, expectProblem }) => {
          expectProblem(/422/)
          await page.getByRole('button', { name: 'New schedule' }).click()
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Name').fill('mornings')
          await dialog.getByLabel('Cron expression').fill('0 0 30 2 *')
          await dialog.getByText('must be a five-field cron expression').waitFor()
          await dialog.getByLabel('Cron expression').fill('0 6 * * 1-5')
          await dialog.getByText('Runs Monday to Friday at 06:00').waitFor()
          const times = dialog.getByRole('group', { name: 'The next five times' })
          await times.getByRole('columnheader', { name: 'UTC' }).waitFor()
          expect(await times.getByRole('row').count()).toBe(6)
          await check('new-schedule')
          await dialog.getByRole('button', { name: 'Create' }).click()
          await dialog.waitFor({ state: 'detached' })

          await page.getByLabel('Switch mornings on').uncheck()
          await page
            .getByRole('row', { name: /mornings/ })
            .getByText('off')
            .waitFor()
          expect(await good<Schedule[]>(client.request('GET', at))).toMatchObject([{ enabled: false }])
          await page.getByRole('link', { name: 'mornings' }).click()
          await page.getByLabel('Cron expression').fill('@daily')
          await page.getByText('Runs each day at 00:00').waitFor()
          await page.getByRole('button', { name: 'Save', disabled: false }).click()
          await page.getByText('Saved', { exact: true }).waitFor()
          expect(await good<Schedule[]>(client.request('GET', at))).toMatchObject([
            { name: 'mornings', enabled: false, cron: '@daily' },
          ])
          await page.getByRole('button', { name: 'All schedules' }).click()
          await check('schedules')
          await page.getByRole('button', { name: 'Delete mornings' }).click()
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
          await page.getByText('No schedules yet').waitFor()
        })
      },
      TEST_MAX_MS,
    )

    test(
      'a webhook token is shown once, rotated and revoked',
      async () => {
        const { client } = stage
        const { scriptId } = await stageOf(client)
        const trigger = async (token: string) =>
          (
            await client.request('POST', '/scripts/webhook', {
              json: {},
              as: null,
              headers: { authorization: `Bearer ${token}` },
            })
          ).status
        await stage.visit(`scripts/${scriptId}?tab=webhooks`, {}, async ({ page, check }) => {
          const dialog = page.getByRole('dialog')
          const shown = async (): Promise<string> => {
            const token = await dialog.getByRole('region', { name: /^Token/ }).textContent()
            await dialog.getByRole('button', { name: 'Close' }).click()
            return token ?? ''
          }
          await page.getByRole('button', { name: 'New webhook token' }).click()
          await dialog.getByLabel('Name').fill('shop')
          await check('new-token')
          await dialog.getByRole('button', { name: 'Create' }).click()
          const first = await shown()
          expect(first).toMatch(/^tmw_/)
          expect(await trigger(first)).toBe(202)
          expect(await page.content()).not.toContain(first)

          await page.getByRole('button', { name: 'Rotate shop' }).click()
          await dialog.getByLabel('The old token stays valid').selectOption('3600')
          await dialog.getByRole('button', { name: 'Rotate' }).click()
          const second = await shown()
          await page.getByText('The former token is valid until').waitFor()
          await check('webhooks')
          expect([await trigger(first), await trigger(second)]).toEqual([202, 202])
          await page.getByRole('button', { name: 'Revoke shop' }).click()
          await dialog.getByRole('button', { name: 'Revoke' }).click()
          await page.getByText('No webhook tokens yet').waitFor()
          expect([await trigger(first), await trigger(second)]).toEqual([404, 404])
        })
      },
      TEST_MAX_MS,
    )
  },
  { variables: { TIDEMARK_RUNNER_TOKEN: RUNNER_TOKEN } },
)
