import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { call } from '../api/client.ts'
import type { Answer } from '../api/client.ts'
import { owedAction, readUser, signOut } from '../api/session.ts'
import { background, useSubmit } from '../kit/background.ts'
import { Button, TextField } from '../kit/controls.tsx'
import { Code } from '../kit/data.tsx'
import { FailureNote, Skeleton } from '../kit/feedback.tsx'
import { t } from '../language/t.ts'

/** The page of a user who must set up MFA or change the password before anything else. */
export function OwedPage(): JSX.Element {
  return (
    <main class="entrance" id="main">
      <div class="card">
        <div class="pad">
          <h1>{t(`owed.${owedAction.value}`)}</h1>
          {owedAction.value === 'password' ? (
            <PasswordForm onDone={() => background(readUser())} />
          ) : (
            <MfaForm onDone={() => background(readUser())} />
          )}
          <Button kind="ghost" action={() => signOut()}>
            {t('shell.signOut')}
          </Button>
        </div>
      </div>
    </main>
  )
}

type Props = { readonly onDone: () => void }

/** Changes the user's own password. */
export function PasswordForm({ onDone }: Props): JSX.Element {
  const [form, setForm] = useState({ currentPassword: '', newPassword: '' })
  const { failure, isBusy, submit } = useSubmit(async () => {
    await call('post', '/session/password', { body: form })
    setForm({ currentPassword: '', newPassword: '' })
    onDone()
  })
  return (
    <form class="col" onSubmit={submit}>
      <TextField
        label={t('owed.currentPassword')}
        type="password"
        value={form.currentPassword}
        onValue={(currentPassword) => setForm({ ...form, currentPassword })}
        error={failure?.at('/currentPassword')}
        autocomplete="current-password"
        required
      />
      <TextField
        label={t('owed.newPassword')}
        hint={t('setup.passwordHint')}
        type="password"
        value={form.newPassword}
        onValue={(newPassword) => setForm({ ...form, newPassword })}
        error={failure?.at('/newPassword')}
        autocomplete="new-password"
        required
      />
      {failure && failure.errors.length === 0 && (
        <FailureNote failure={failure} what={t('feedback.notDone')} />
      )}
      <Button kind="primary" type="submit" busy={isBusy}>
        {t('owed.changePassword')}
      </Button>
    </form>
  )
}

/** Sets up an authenticator: its key, a code of it, and the recovery codes. */
export function MfaForm({ onDone }: Props): JSX.Element {
  const [key, setKey] = useState<Answer<'/session/mfa', 'post'> | null>(null)
  const [code, setCode] = useState('')
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | null>(null)
  useEffect(() => background(call('post', '/session/mfa', {}).then(setKey)), [])
  const { failure, isBusy, submit } = useSubmit(async () => {
    const answer = await call('post', '/session/mfa/confirmation', { body: { code: code.trim() } })
    setRecoveryCodes(answer.recoveryCodes)
  })
  if (recoveryCodes !== null)
    return (
      <div class="col">
        <p>{t('owed.recovery')}</p>
        <Code text={recoveryCodes.join('\n')} label={t('owed.recoveryCodes')} />
        <Button kind="primary" onClick={onDone}>
          {t('owed.recoveryKept')}
        </Button>
      </div>
    )
  if (key === null) return <Skeleton lines={3} />
  return (
    <form class="col" onSubmit={submit}>
      <p>{t('owed.mfaText')}</p>
      <Code text={key.secret} label={t('owed.mfaKey')} />
      <a href={key.uri}>{t('owed.mfaOpen')}</a>
      <TextField
        label={t('login.code')}
        value={code}
        onValue={setCode}
        error={failure?.at('/code')}
        autocomplete="one-time-code"
        inputMode="numeric"
        required
      />
      {failure && failure.errors.length === 0 && (
        <FailureNote failure={failure} what={t('feedback.notDone')} />
      )}
      <Button kind="primary" type="submit" busy={isBusy}>
        {t('owed.mfaConfirm')}
      </Button>
    </form>
  )
}
