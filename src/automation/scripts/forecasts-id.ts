/** Runs of forecasts belong to a row of this id among the scripts; each forecast is a run configuration of it. */
export const FORECASTS_ID = 0
