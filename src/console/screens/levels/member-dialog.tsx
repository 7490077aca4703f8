import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { SelectField, TextField } from '../../kit/controls.tsx'
import { ObjectPicker } from '../../kit/object-picker.tsx'
import type { Found } from '../../kit/object-picker.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { stateWord } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { levelsChanged } from './changed.ts'
import { isNumber, numberOf } from './draft.ts'
import type { LevelType, Member, Overrides } from './member.ts'

const FROM = ['major', 'minor', 'warning', 'no_data'] as const
const TO = ['ok', 'warning', 'minor', 'major'] as const
type To = (typeof TO)[number] | ''

/** Adds a member to a service or a container, or changes how a member counts. */
export function MemberDialog({
  level: { type, id, name },
  etag,
  member,
  onClose,
}: {
  readonly level: { readonly type: LevelType; readonly id: number; readonly name: string }
  readonly etag: string | undefined
  readonly member?: Member
  readonly onClose: () => void
}): JSX.Element {
  const [object, setObject] = useState<Pick<Found, 'id' | 'name'> | null>(member ?? null)
  const [picked, setPicked] = useState<Found | null>(null)
  const [weight, setWeight] = useState(String(member?.weight ?? 1))
  const [overrides, setOverrides] = useState<Overrides>(member?.stateOverrides ?? {})
  const save = async (): Promise<void> => {
    if (object === null) return
    const item = { id: object.id, weight: numberOf(weight), stateOverrides: overrides }
    await call('put', '/{parentType}/{parentId}/children', {
      path: { parentType: type, parentId: id },
      query: { mode: 'merge' },
      body: { items: [item] },
      // A member that is added changes none that another user has changed.
      ...(member ? { ifMatch: etag } : {}),
    })
    levelsChanged()
  }
  const override = (from: (typeof FROM)[number], to: To): void => {
    const { [from]: _, ...others } = overrides
    setOverrides(to === '' ? others : { ...others, [from]: to })
  }
  return (
    <FormDialog
      title={member ? t('levels.editMember', { name: member.name }) : t('levels.addMemberTo', { name })}
      submit={t(member ? 'edit.save' : 'levels.addMember')}
      refused={faultOf(object, weight)}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => (
        <>
          {!member && (
            <ObjectPicker
              label={t('levels.member')}
              value={picked}
              {...(type === 'slc' ? { type: 'slo' as const } : {})}
              onChange={(found) => {
                setPicked(found)
                setObject(found)
              }}
              error={failure?.at('/items/0/id')}
            />
          )}
          {type === 'slo' && (
            <TextField
              label={t('levels.weight')}
              hint={t('levels.weightHint')}
              inputMode="numeric"
              value={weight}
              onValue={setWeight}
              error={failure?.at('/items/0/weight')}
            />
          )}
          <fieldset class="col">
            <legend>{t('levels.overrides')}</legend>
            <div class="formgrid">
              {FROM.map((from) => (
                <SelectField<To>
                  key={from}
                  label={t('levels.overrideOf', { state: stateWord(from) })}
                  value={(overrides[from] ?? '') as To}
                  onValue={(to) => override(from, to)}
                  options={[
                    { value: '', text: t('levels.asItIs') },
                    ...TO.map((value) => ({ value, text: stateWord(value) })),
                  ]}
                />
              ))}
            </div>
          </fieldset>
        </>
      )}
    </FormDialog>
  )
}

function faultOf(object: object | null, weight: string): string | undefined {
  if (object === null) return t('levels.noObject')
  return isNumber(weight) ? undefined : t('levels.badNumber')
}
