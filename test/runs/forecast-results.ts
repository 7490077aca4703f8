/** The backtest of a series in the results of a run. */
export const BACKTEST = {
  folds: 5,
  mae: 1,
  smape: 4,
  mase: 0.5,
  naive: { smape: 6 },
  skill: 0.4,
  coverage: { '80': 0.8, '95': 1 },
}

/** A file of results as a runner leaves it: a line of JSON for the head and for each series, compressed. */
export async function packed(lines: readonly object[]): Promise<Uint8Array<ArrayBuffer>> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
