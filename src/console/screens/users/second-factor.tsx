import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { invalidate, patched, useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, Check } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { Confirm } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'

/** The second factor of a user, which an administrator can enforce and reset. */
export function SecondFactor({ userId }: { readonly userId: number }): JSX.Element {
  const path = { id: userId }
  const mfa = useGet('/users/{id}/mfa', { path })
  const [isResetting, setResetting] = useState(false)
  const enforce = async (isEnforced: boolean): Promise<void> => {
    try {
      await patched<Answer<'/users/{id}/mfa'>, unknown>(
        `/users/${userId}/mfa`,
        (data) => ({ ...data, isEnforced }),
        () => call('put', '/users/{id}/mfa', { path, body: { isEnforced } }),
      )
    } finally {
      mfa.reload()
    }
    invalidate('/mfa', '/sessions')
    toast({ text: t(isEnforced ? 'users.mfaIsEnforced' : 'users.mfaIsOptional') })
  }
  return (
    <Card title={t('users.mfa')}>
      <Show resource={mfa} what={t('users.mfaFailed')}>
        {({ isActive, isEnforced, recoveryCodesLeft }) => (
          <div class="pad col">
            <State
              state={isActive ? 'ok' : 'no_data'}
              look="plain"
              text={t(isActive ? 'users.mfaOn' : 'users.mfaOff')}
            />
            {isActive && <p class="quiet">{t('users.codesLeft', { count: recoveryCodesLeft })}</p>}
            <Check
              label={t('users.mfaEnforce')}
              checked={isEnforced}
              onChange={(on) => background(enforce(on))}
            />
            <div>
              <Button
                kind="danger"
                refused={isActive ? undefined : t('users.mfaNothing')}
                onClick={() => setResetting(true)}
              >
                {t('users.mfaReset')}
              </Button>
            </div>
          </div>
        )}
      </Show>
      {isResetting && (
        <Confirm
          title={t('users.mfaResetTitle')}
          effect={t('users.mfaResetEffect')}
          submit={t('users.mfaReset')}
          onConfirm={async () => {
            await call('delete', '/users/{id}/mfa', { path })
            mfa.reload()
            invalidate('/mfa', '/sessions')
          }}
          onClose={() => setResetting(false)}
        />
      )}
    </Card>
  )
}
