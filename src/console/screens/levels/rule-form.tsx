import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { Check, SelectField, TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { t } from '../../language/t.ts'
import { RULES, ruleSentence, unsetText } from './rules.ts'
import { countersOf } from './slo-draft.ts'
import type { SloDraft } from './slo-draft.ts'

const OPERATIONS = ['and', 'or', 'count', 'xor', 'degraded'] as const
const PUSHES = ['any', 'minor', 'major', 'none'] as const

/** The rule of a service in words, with the sentence that follows from it.
 * @param members how many members count, each by its weight */
export function RuleForm({
  draft,
  failure,
  members,
  onChange,
}: {
  readonly draft: SloDraft
  readonly failure: Failure | null
  readonly members: number
  readonly onChange: (part: Partial<SloDraft>) => void
}): JSX.Element {
  const { stateOperation, counters } = draft
  return (
    <Card title={t('levels.rule')} note={t('levels.ruleNote')}>
      <div class="pad col">
        <SelectField
          label={t('levels.operation')}
          value={stateOperation}
          onValue={(to) => onChange({ stateOperation: to })}
          error={failure?.at('/stateOperation')}
          options={OPERATIONS.map((value) => ({ value, text: t(`levels.operation.${value}`) }))}
        />
        {stateOperation !== 'xor' &&
          RULES.map(({ result, counters: own }) => (
            <fieldset key={result} class="rule">
              <legend>{t(`levels.when.${result}`)}</legend>
              {own.map(([counter, badness], at) => (
                <TextField
                  key={counter}
                  label={at === 0 ? t('levels.are.major') : t(`levels.orAre.${badness}`)}
                  value={counters[counter]}
                  inputMode="numeric"
                  placeholder={unsetText(stateOperation)}
                  unit={t('levels.membersUnit')}
                  onValue={(text) => onChange({ counters: { ...counters, [counter]: text } })}
                  error={failure?.at(`/${counter}`)}
                />
              ))}
            </fieldset>
          ))}
        <p class="say" role="status">
          {ruleSentence(stateOperation, countersOf(draft), members)}
        </p>
        <Check
          label={t('levels.ignoreMaintenance')}
          checked={draft.ignoreMaintenance}
          onChange={(ignoreMaintenance) => onChange({ ignoreMaintenance })}
        />
        <Check
          label={t('levels.isReason')}
          checked={draft.isReason}
          onChange={(isReason) => onChange({ isReason })}
        />
        <SelectField
          label={t('levels.pushState')}
          value={draft.pushState}
          onValue={(pushState) => onChange({ pushState })}
          options={PUSHES.map((value) => ({ value, text: t(`levels.push.${value}`) }))}
        />
      </div>
    </Card>
  )
}
