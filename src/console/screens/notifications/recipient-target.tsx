import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { t } from '../../language/t.ts'
import { TARGETS } from './recipients.ts'
import type { Kind, Recipient } from './recipients.ts'

type Props = {
  readonly kind: Kind
  readonly texts: Readonly<Record<string, string>>
  readonly failure: Failure | null
  readonly onTexts: (texts: Readonly<Record<string, string>>) => void
}

/** Where messages go: a user, a group or a script that is chosen, else texts. Secrets are typed and never shown again. */
export function TargetFields({ kind, texts, failure, onTexts }: Props): JSX.Element {
  return (
    <>
      {TARGETS[kind].map(({ name, isOptional, isSecret }) => {
        const common = {
          label: t(`notifications.target.${name}`),
          value: texts[name] ?? '',
          error: failure?.at(`/target/${name}`),
          onValue: (value: string) => onTexts({ ...texts, [name]: value }),
        }
        const hint = isOptional ? { hint: t(`notifications.optional.${kind}.${name}`) } : {}
        if (
          name === 'userId' ||
          name === 'userGroupId' ||
          name === 'scriptId' ||
          name === 'runConfigurationId'
        )
          return <Choice key={name} {...common} {...hint} of={name} script={texts['scriptId'] ?? ''} />
        return (
          <TextField
            key={name}
            {...common}
            {...hint}
            type={isSecret ? 'password' : 'text'}
            autocomplete={isSecret ? 'new-password' : 'off'}
          />
        )
      })}
    </>
  )
}

/** The target of a stored recipient, with the name of its user or user group. */
export function TargetText({ recipient: { target } }: { readonly recipient: Recipient }): JSX.Element {
  const [, kind, id] = /^(user|userGroup) (\d+)$/.exec(target) ?? []
  const users = useGet('/users', kind === 'user' ? {} : null)
  const groups = useGet('/userGroups', kind === 'userGroup' ? {} : null)
  const found = (kind === 'user' ? users.data : groups.data)?.find((one) => String(one.id) === id)
  return <>{found?.name ?? target}</>
}

type ChoiceProps = {
  readonly of: 'userId' | 'userGroupId' | 'scriptId' | 'runConfigurationId'
  readonly script: string
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly error: string | undefined
  readonly onValue: (value: string) => void
}

function Choice({ of, script, ...field }: ChoiceProps): JSX.Element {
  const users = useGet('/users', of === 'userId' ? {} : null)
  const groups = useGet('/userGroups', of === 'userGroupId' ? {} : null)
  const scripts = useGet('/scripts', of === 'scriptId' || script !== '' ? {} : null)
  const scriptName = scripts.data?.find(({ id }) => String(id) === script)?.name
  const configurations = useGet(
    '/scripts/{script}/runConfigurations',
    of === 'runConfigurationId' && scriptName !== undefined ? { path: { script: scriptName } } : null,
  )
  const choices: readonly { readonly id: number; readonly name: string }[] =
    {
      userId: users.data,
      userGroupId: groups.data,
      scriptId: scripts.data,
      runConfigurationId: configurations.data,
    }[of] ?? []
  const none = of === 'runConfigurationId' ? 'notifications.defaultRun' : 'notifications.choose'
  return <SelectField {...field} options={itemOptions(choices, t(none))} />
}
