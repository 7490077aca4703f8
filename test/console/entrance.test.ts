import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { codeOf, stepAt } from '../../src/access/session/mfa/totp.ts'
import { fromBase32 } from '../access/base32.ts'
import { good } from '../api/suite.ts'
import { ADMIN } from '../hosts/host.ts'
import { oidcProviderOf } from '../hosts/oidc-provider.ts'
import type { OidcProvider } from '../hosts/oidc-provider.ts'
import { onBothHosts, onMainHost } from './stage.ts'
import type { Stage } from './stage.ts'

/** Another host name is another site. */
const OTHER_SITE = 'http://localhost/prize'
const REFUSED = /status of (?:401|403)/

function declareSignIn(stage: Stage): void {
  test('a visitor signs in and gets the screen of the address, and signs out unless the service is unreachable', () =>
    stage.visit('alarms?status=open', { as: null }, async ({ page, check, expectProblem }) => {
      expectProblem(REFUSED)
      expectProblem(/ERR_FAILED/)
      await page.getByLabel('User name').fill(ADMIN.username)
      await page.getByLabel('Password').fill('a wrong password')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByLabel('User name').inputValue()).toBe(ADMIN.username)
      await check('refused')
      await page.getByLabel('Password').fill(ADMIN.password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
      expect(page.url()).toBe(`${stage.url}/ui/alarms?status=open`)

      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
      const signOut = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Account and appearance of admin' }).click()
        await page.getByRole('menuitem', { name: 'Sign out' }).click()
      }
      await page.route(/\/session\/logout$/, (route) => route.abort(), { times: 1 })
      await signOut()
      await page.locator('.toast.failed').waitFor()
      expect(page.url()).toBe(`${stage.url}/ui/alarms?status=open`)
      await signOut()
      await page.getByLabel('User name').waitFor()
      await page.goto(`${stage.url}/ui/alarms`)
      await page.getByLabel('User name').waitFor()
    }))

  test('no script of the page can read the credentials that outlive it', () =>
    stage.visit('', {}, async ({ page }) => {
      await page.getByRole('main').waitFor()
      expect(await page.evaluate<string>('document.cookie')).toBe('')
      const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')
      expect(stored).not.toMatch(/[\w-]{20,}/)
    }))

  test('a page of another site can neither frame the console nor act with its session', () =>
    stage.visit('keys', {}, async ({ page, expectProblem }) => {
      expectProblem(/asks another host: http:\/\/localhost\/|frame-ancestors|status of 415/)
      // The frame holds a page of the browser, which has no storage.
      expectProblem(/Access is denied for this document/)
      await page.getByRole('heading', { level: 1 }).waitFor()
      const answers: number[] = []
      page.on('response', (response) => {
        if (response.url().endsWith('/session/refresh')) answers.push(response.status())
      })
      const body = `<iframe src="${stage.url}/ui/"></iframe>
        <form method="post" action="${stage.url}/session/refresh"><button>Win a prize</button></form>`
      await page.route(OTHER_SITE, (route) => route.fulfill({ contentType: 'text/html', body }))
      await page.goto(OTHER_SITE)
      expect(page.frames().map((frame) => frame.url())).toEqual([OTHER_SITE, 'chrome-error://chromewebdata/'])
      await page.getByRole('button').click()
      await page.waitForURL('**/session/refresh')
      // A form cannot send JSON; what a script of another site sends is refused with 403, which the tests of the API show.
      expect(answers).toEqual([415])
      await page.goto(`${stage.url}/ui/keys`)
      await page.getByRole('button', { name: 'Account and appearance of admin' }).waitFor()
    }))
}

onMainHost(
  'setup',
  (stage) => {
    test('the set-up link creates the administrator, and works once', async () => {
      const link = new URL((await stage.setupLink()) ?? 'no link')
      const path = `..${link.pathname.slice(new URL(stage.url).pathname.length - 1)}${link.search}`
      await stage.visit(path, { as: null, browser: { locale: 'de-DE' } }, async ({ page, check }) => {
        await page.getByLabel('Passwort').fill(ADMIN.password)
        expect(await page.getByLabel('Zeitzone').inputValue()).toBe('Europe/Zurich')
        await page.getByRole('radio').nth(1).check()
        await check('form')
        await page.getByRole('button', { name: 'Tidemark einrichten' }).click()
        await page.waitForURL(`${stage.url}/ui/first-value`)
        await page.getByRole('main').waitFor()
      })
      expect(await (await fetch(`${stage.url}/session/options`)).json()).toMatchObject({ isSetUp: true })
      await stage.visit(path, { as: null }, async ({ page, check, expectProblem }) => {
        expectProblem(REFUSED)
        await page.getByLabel('Password').fill(ADMIN.password)
        await page.getByRole('button', { name: 'Set up Tidemark' }).click()
        await page.getByRole('heading', { name: 'This link is over' }).waitFor()
        await check('over')
      })
    })
  },
  { isNew: true },
)

/** The page of the provider is another site, asks for a font, and has no icon. */
const AT_PROVIDER =
  /asks another host: http(?::\/\/localhost:|s:\/\/fonts\.)|fonts\.googleapis\.com|localhost:\d+\/favicon\.ico/

let provider: OidcProvider
onBothHosts(
  'entrance',
  (stage) => {
    declareSignIn(stage)

    const goToProvider = async (page: Page) => {
      await page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}` }).click()
      await page.waitForURL(`${provider.issuer}/interaction/*`)
    }
    const signInAs = async (page: Page, name: string) => {
      await page.getByPlaceholder('Enter any login').fill(name)
      await page.getByPlaceholder('and password').fill('of no meaning')
      await page.getByRole('button', { name: 'Sign-in' }).click()
    }

    test('a visitor who cancels at the provider reads that, then signs in there, and gets the screen of the address', () =>
      stage.visit('alarms?status=open', { as: null }, async ({ page, check, expectProblem }) => {
        expectProblem(AT_PROVIDER)
        await goToProvider(page)
        await page.getByRole('link', { name: 'Cancel' }).click()
        await page.getByRole('alert').getByText('The identity provider did not sign you in.').waitFor()
        await check('cancelled')

        await goToProvider(page)
        await signInAs(page, 'grace')
        await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
        expect(page.url()).toBe(`${stage.url}/ui/alarms?status=open`)
        await page.reload()
        await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
        await page.getByRole('button', { name: 'Account and appearance of grace' }).click()
        await page.getByRole('menuitem', { name: 'Sign out' }).click()
        await page.getByLabel('User name').waitFor()
      }))

    test('the dialog of an ended session leads to the provider, and back to the page', () => {
      const as = 'dashboard_viewer'
      return stage.visit('alarms?status=open', { as }, async ({ page, check, expectProblem }) => {
        expectProblem(AT_PROVIDER)
        expectProblem(/status of 401/)
        await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
        const { items } = await good<{ items: readonly { id: string }[] }>(
          stage.client.request('GET', `/sessions?userId=${stage.client.userIds[as]}`),
        )
        for (const { id } of items) await good(stage.client.request('DELETE', `/sessions/${id}`))
        // The stream of events may have found the end of the session by now: the dialog is over the link.
        await page.getByRole('link', { name: 'Objects' }).first().dispatchEvent('click')
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
        await dialog.waitFor()
        expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
        for (let press = 0; press < 2; press++) await page.keyboard.press('Escape')
        expect(await dialog.isVisible()).toBe(true)
        await check('ended')
        await goToProvider(page)
        await signInAs(page, 'grace')
        await page.getByRole('heading', { level: 1, name: 'All objects' }).waitFor()
      })
    })

    test('who is known to the provider alone reads that no user belongs to the account', () =>
      stage.visit('alarms', { as: null }, async ({ page, check, expectProblem }) => {
        expectProblem(AT_PROVIDER)
        provider.people.set('stranger', { preferred_username: 'stranger', groups: ['of no meaning'] })
        await goToProvider(page)
        await signInAs(page, 'stranger')
        await page.getByRole('alert').getByText('no user of Tidemark belongs to this account').waitFor()
        await check('forbidden')
      }))

    test('a user with MFA is asked for the code after the provider', async () => {
      const as = 'editor'
      const { secret } = await good<{ secret: string }>(stage.client.request('POST', '/session/mfa', { as }))
      const json = { code: await codeOf(fromBase32(secret), stepAt(Date.now()) - 1) }
      const { recoveryCodes } = await good<{ recoveryCodes: string[] }>(
        stage.client.request('POST', '/session/mfa/confirmation', { as, json }),
      )
      const linked = { json: { subject: 'careful' } }
      await good(stage.client.request('PUT', `/users/${stage.client.userIds.editor}/identity`, linked))
      provider.people.set('careful', { preferred_username: 'careful', groups: ['ops'] })
      await stage.visit('alarms', { as: null }, async ({ page, check, expectProblem }) => {
        expectProblem(AT_PROVIDER)
        expectProblem(REFUSED)
        await goToProvider(page)
        await signInAs(page, 'careful')
        await page.getByLabel('Code').fill('a wrong code')
        await check('code')
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('alert').waitFor()
        await page.getByLabel('Code').fill(recoveryCodes[0] ?? 'no code')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
      })
    })
  },
  {
    async variablesAt(url) {
      provider = await oidcProviderOf(url)
      provider.people.set('grace', { preferred_username: 'grace', groups: ['ops'] })
      return provider.variables
    },
  },
)
