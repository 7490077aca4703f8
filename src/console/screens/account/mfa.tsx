import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, TextField } from '../../kit/controls.tsx'
import { Card, Code } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { Dialog, FormDialog } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { MfaForm } from '../../shell/owed.tsx'

type Open = 'set-up' | 'remove' | 'codes' | null

/** The second factor: whether it is active, how many recovery codes are left, and how to change that. */
export function Mfa(): JSX.Element {
  const mfa = useGet('/session/mfa', {})
  const [open, setOpen] = useState<Open>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const close = (): void => {
    setOpen(null)
    setCodes(null)
    invalidate('/session/mfa')
  }
  return (
    <Card title={t('account.mfa')}>
      <Show resource={mfa}>
        {({ isActive, isEnforced, recoveryCodesLeft }) => (
          <div class="pad col">
            <State
              state={isActive ? 'ok' : 'no_data'}
              look="plain"
              text={t(isActive ? 'account.mfaOn' : 'account.mfaOff')}
            />
            {isActive && <p class="quiet">{t('account.codesLeft', { count: recoveryCodesLeft })}</p>}
            <div class="row wrap">
              {!isActive && <Button onClick={() => setOpen('set-up')}>{t('account.mfaSetUp')}</Button>}
              {isActive && <Button onClick={() => setOpen('codes')}>{t('account.newCodes')}</Button>}
              {isActive && (
                <Button
                  kind="danger"
                  refused={isEnforced ? t('account.mfaEnforced') : undefined}
                  onClick={() => setOpen('remove')}
                >
                  {t('account.mfaRemove')}
                </Button>
              )}
            </div>
          </div>
        )}
      </Show>
      {open === 'set-up' && (
        <Dialog title={t('owed.mfa')} onClose={close}>
          <MfaForm onDone={close} />
        </Dialog>
      )}
      {open === 'remove' && (
        <CodeDialog
          title={t('account.mfaRemove')}
          onCode={async (code) => {
            await call('post', '/session/mfa/removal', { body: { code } })
          }}
          onClose={close}
        />
      )}
      {open === 'codes' && codes === null && (
        <CodeDialog
          title={t('account.newCodes')}
          onCode={async (code) => {
            setCodes((await call('post', '/session/mfa/recovery-codes', { body: { code } })).recoveryCodes)
          }}
          onClose={() => undefined}
          onCancel={close}
        />
      )}
      {codes !== null && (
        <Dialog title={t('owed.recoveryCodes')} onClose={close}>
          <p>{t('owed.recovery')}</p>
          <Code text={codes.join('\n')} label={t('owed.recoveryCodes')} />
        </Dialog>
      )}
    </Card>
  )
}

/** Asks for a code of the authenticator before a change. */
function CodeDialog({
  title,
  onCode,
  onClose,
  onCancel = onClose,
}: {
  readonly title: string
  readonly onCode: (code: string) => Promise<void>
  readonly onClose: () => void
  readonly onCancel?: () => void
}): JSX.Element {
  const [code, setCode] = useState('')
  return (
    <FormDialog
      title={title}
      submit={title}
      refused={code.trim().length < 6 ? t('login.codeHint') : undefined}
      onSubmit={() => onCode(code.trim())}
      onClose={onClose}
      onCancel={onCancel}
    >
      {(failure) => (
        <TextField
          label={t('login.code')}
          hint={t('login.codeHint')}
          value={code}
          onValue={setCode}
          error={failure?.at('/code')}
          autocomplete="one-time-code"
        />
      )}
    </FormDialog>
  )
}
