import type { Statement, ValuesDatabase } from '../../../ports/values-database.ts'
import { blockOf, CellBlock, spanOf } from '../../../timeseries/rollup-block.ts'
import type { RollupLevel } from '../../../timeseries/rollup-block.ts'
import { firstAtOrAfter, sliceSamples } from '../../../timeseries/samples.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import { readBlocks, writeBlocks } from '../store/rollups.ts'
import type { BlockKey } from '../store/rollups.ts'
import type { SeriesKey } from '../store/segments.ts'

/** Samples that come into the rollups of one level. */
export type RollupDelta = SeriesKey & { readonly level: RollupLevel; readonly samples: Samples<number> }

type BlockDelta = BlockKey & { readonly samples: Samples<number> }

/** The statements that add samples to the rollups; gains of one series are given in their order of arrival. */
export async function addToRollups(
  values: ValuesDatabase,
  gains: readonly RollupDelta[],
): Promise<readonly Statement[]> {
  const byBlock = new Map<string, BlockDelta[]>()
  for (const gain of gains.flatMap(blocksOf)) {
    const name = `${gain.jobId}.${gain.series}.${gain.level}.${gain.block}`
    byBlock.set(name, [...(byBlock.get(name) ?? []), gain])
  }
  const groups = [...byBlock.values()]
  const keys = groups.flatMap(([first]) => (first ? [first] : []))
  const bodies = await readBlocks(values, keys)
  return writeBlocks(
    keys.map(({ jobId, series, level, block }, index) => {
      const body = bodies[index]
      const cells = body ? CellBlock.decode(level, block, body) : new CellBlock(level, block)
      for (const { samples } of groups[index] ?? []) cells.add(samples)
      return { jobId, series, level, block, body: cells.encode() }
    }),
  )
}

/** The gain, block by block. */
function blocksOf({ jobId, series, level, samples }: RollupDelta): readonly BlockDelta[] {
  const { at } = samples
  const parts: BlockDelta[] = []
  for (let from = 0; from < at.length;) {
    const block = blockOf(level, at[from] ?? 0)
    const to = firstAtOrAfter(at, spanOf(level, block).end, from)
    parts.push({
      jobId,
      series,
      level,
      block,
      samples: sliceSamples(samples, from, to),
    })
    from = to
  }
  return parts
}
