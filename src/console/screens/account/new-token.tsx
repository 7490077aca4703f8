import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { Check, SelectField, TextField } from '../../kit/controls.tsx'
import { Code } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { Dialog, FormDialog } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'

const SCOPES = ['read', 'write', 'execute', 'backup'] as const
const DAYS = ['30', '90', '365'] as const
const DAY_MS = 86_400_000

/** Creates a token for programs; its text is shown once. */
export function NewToken({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState('')
  const [days, setDays] = useState<(typeof DAYS)[number]>('90')
  const [scopes, setScopes] = useState<ReadonlySet<(typeof SCOPES)[number]>>(new Set(['execute']))
  const [token, setToken] = useState<string | null>(null)
  const create = async (): Promise<void> => {
    const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    const created = await call('post', '/session/personal-tokens', {
      body: { name, scopes: [...scopes], expiresAt },
    })
    invalidate('/session/personal-tokens')
    setToken(created.token)
  }
  if (token !== null)
    return (
      <Dialog title={t('account.tokenCreated')} onClose={onClose}>
        <div class="col">
          <Note kind="warning">{t('account.tokenOnce')}</Note>
          <Code text={token} label={t('account.token')} />
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={t('account.newToken')}
      submit={t('account.create')}
      refused={name === '' || scopes.size === 0 ? t('account.tokenNeeds') : undefined}
      onSubmit={create}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {(failure) => (
        <>
          <TextField label={t('account.name')} value={name} onValue={setName} error={failure?.at('/name')} />
          <fieldset>
            <legend>{t('account.scopes')}</legend>
            {SCOPES.map((scope) => (
              <Check
                key={scope}
                label={t(`account.scope.${scope}`)}
                checked={scopes.has(scope)}
                onChange={(on) => {
                  const next = new Set(scopes)
                  if (on) next.add(scope)
                  else next.delete(scope)
                  setScopes(next)
                }}
              />
            ))}
          </fieldset>
          <SelectField
            label={t('account.ends')}
            value={days}
            onValue={setDays}
            options={DAYS.map((value) => ({ value, text: t('account.inDays', { days: Number(value) }) }))}
          />
        </>
      )}
    </FormDialog>
  )
}
