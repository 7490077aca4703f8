import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'

import { asFailure } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { urlOf } from '../api/client.ts'
import { apiUrl } from '../api/events.ts'
import { useGet } from '../api/resource.ts'
import { signIn, signInByOidc, user } from '../api/session.ts'
import { useSubmit } from '../kit/background.ts'
import { Button, TextField } from '../kit/controls.tsx'
import { Note } from '../kit/feedback.tsx'
import { Mark } from '../kit/icons.tsx'
import { BASE } from '../kit/location.ts'
import { Dialog } from '../kit/overlays.tsx'
import { t } from '../language/t.ts'

/** What the service appends after the identity provider vouched for the visitor; otherwise the code of a refusal. */
const RETURNED = 'ok'

/** The page of a visitor who is not signed in. */
export function LoginPage(): JSX.Element {
  const { query } = useLocation()
  return (
    <main class="entrance" id="main">
      <div class="card">
        <div class="pad">
          <p class="brand">
            <Mark />
            Tidemark
          </p>
          <h1>{t('login.title')}</h1>
          <div class="col">
            <Options />
            {query['oidc'] === RETURNED ? <Returned /> : <LoginForm />}
          </div>
        </div>
      </div>
    </main>
  )
}

/** The other ways to sign in, and whether the installation still has to be set up. */
function Options(): JSX.Element | null {
  const { query } = useLocation()
  const { data } = useGet('/session/options', {})
  const refusal = query['oidc']
  if (!data) return null
  return (
    <div class="col">
      {query['why'] === 'restored' && (
        <Note kind="ok" icon="check" role="status">
          {t('login.restored')}
        </Note>
      )}
      {!data.isSetUp && <Note kind="warning">{t('login.notSetUp')}</Note>}
      {refusal !== undefined && refusal !== RETURNED && (
        <Note kind="major" role="alert">
          {t(refusal === 'forbidden' ? 'login.oidcForbidden' : 'login.oidcRefused')}
        </Note>
      )}
      <OidcButton returnTo={query['returnTo'] ?? BASE + (query['to'] ?? '')} />
    </div>
  )
}

/** Leads to the identity provider, where the installation has one. */
function OidcButton({ returnTo }: { readonly returnTo: string }): JSX.Element | null {
  const { data } = useGet('/session/options', {})
  if (!data?.oidc) return null
  return (
    <a class="btn" href={apiUrl(urlOf('/oidc/login', { query: { returnTo } }))}>
      {t('login.oidc', { label: data.oidc.label })}
    </a>
  )
}

/** Asks for the code of the second factor where a login needs one. */
async function orAsk(isAsked: boolean, ask: (isAsked: true) => void, login: Promise<void>): Promise<void> {
  try {
    await login
  } catch (error) {
    if (isAsked || asFailure(error).code !== 'mfa_code_required') throw error
    ask(true)
  }
}

/** Ends the login that the identity provider vouched for, with a code where MFA is active. */
function Returned(): JSX.Element | null {
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const { failure, isBusy, submit } = useSubmit(() =>
    orAsk(needsCode, setNeedsCode, signInByOidc(needsCode ? code.trim() : undefined)),
  )
  useEffect(() => submit(), [])
  return (
    <>
      {failure && <Refused failure={failure} />}
      {needsCode && (
        <form class="col" onSubmit={submit}>
          <CodeField value={code} onValue={setCode} />
          <Button kind="primary" type="submit" busy={isBusy}>
            {t('login.submit')}
          </Button>
        </form>
      )}
      {failure && !needsCode && <LoginForm />}
    </>
  )
}

/** Lies over the page when its session has ended: nothing that was typed is lost. */
export function LoginDialog(): JSX.Element {
  return (
    <Dialog title={t('login.over')} onClose={null}>
      <div class="col">
        <p class="quiet">{t('login.overText')}</p>
        <OidcButton returnTo={location.pathname + location.search} />
        <LoginForm username={user.value?.username} />
      </div>
    </Dialog>
  )
}

function LoginForm({ username = '' }: { readonly username?: string | undefined }): JSX.Element {
  const [form, setForm] = useState({ username, password: '', code: '' })
  const [needsCode, setNeedsCode] = useState(false)
  const { failure, isBusy, submit } = useSubmit(() => {
    const { code, ...rest } = form
    return orAsk(needsCode, setNeedsCode, signIn({ ...rest, ...(needsCode ? { code: code.trim() } : {}) }))
  })
  return (
    <form class="col" onSubmit={submit}>
      <TextField
        label={t('login.username')}
        value={form.username}
        onValue={(value) => setForm({ ...form, username: value })}
        autocomplete="username"
        autofocus={username === ''}
        required
      />
      <TextField
        label={t('login.password')}
        type="password"
        value={form.password}
        onValue={(value) => setForm({ ...form, password: value })}
        autocomplete="current-password"
        autofocus={username !== ''}
        required
      />
      {needsCode && <CodeField value={form.code} onValue={(value) => setForm({ ...form, code: value })} />}
      {failure && <Refused failure={failure} />}
      <Button kind="primary" type="submit" busy={isBusy}>
        {t('login.submit')}
      </Button>
    </form>
  )
}

function CodeField(props: {
  readonly value: string
  readonly onValue: (value: string) => void
}): JSX.Element {
  return (
    <TextField
      {...props}
      label={t('login.code')}
      hint={t('login.codeHint')}
      autocomplete="one-time-code"
      autofocus
      required
    />
  )
}

function Refused({ failure }: { readonly failure: Failure }): JSX.Element {
  return (
    <Note kind="major" role="alert">
      {failure.status === 0 ? t('feedback.unreachable') : failure.message}
    </Note>
  )
}
