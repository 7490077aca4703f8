import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { asFailure } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { signIn, user } from '../api/session.ts'
import { background } from '../kit/background.ts'
import { Button, TextField } from '../kit/controls.tsx'
import { Note } from '../kit/feedback.tsx'
import { Mark } from '../kit/icons.tsx'
import { Dialog } from '../kit/overlays.tsx'
import { t } from '../language/t.ts'

/** The page of a visitor who is not signed in. */
export function LoginPage(): JSX.Element {
  return (
    <main class="entrance" id="main">
      <div class="card">
        <div class="pad">
          <p class="brand">
            <Mark />
            Tidemark
          </p>
          <h1>{t('login.title')}</h1>
          <LoginForm />
        </div>
      </div>
    </main>
  )
}

/** Lies over the page when its session has ended: nothing that was typed is lost. */
export function LoginDialog(): JSX.Element {
  return (
    <Dialog title={t('login.over')} onClose={() => undefined}>
      <p class="quiet">{t('login.overText')}</p>
      <LoginForm username={user.value?.username} />
    </Dialog>
  )
}

function LoginForm({ username = '' }: { readonly username?: string | undefined }): JSX.Element {
  const [form, setForm] = useState({ username, password: '', code: '' })
  const [failure, setFailure] = useState<Failure | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [needsCode, setNeedsCode] = useState(false)
  const submit = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      const { code, ...rest } = form
      await signIn({ ...rest, ...(needsCode ? { code: code.trim() } : {}) })
    } catch (error) {
      const refusal = asFailure(error)
      if (refusal.code === 'mfa_code_required' && !needsCode) setNeedsCode(true)
      else setFailure(refusal)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="col"
      onSubmit={(event) => {
        event.preventDefault()
        background(submit())
      }}
    >
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
      {needsCode && (
        <TextField
          label={t('login.code')}
          hint={t('login.codeHint')}
          value={form.code}
          onValue={(value) => setForm({ ...form, code: value })}
          autocomplete="one-time-code"
          autofocus
          required
        />
      )}
      {failure && (
        <Note kind="major" role="alert">
          {failure.status === 0 ? t('feedback.unreachable') : failure.message}
        </Note>
      )}
      <Button kind="primary" type="submit" busy={isBusy}>
        {t('login.submit')}
      </Button>
    </form>
  )
}
