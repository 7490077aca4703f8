"""The kinds of models. Each has `fit_predict(series, horizon, params)`, which returns the mean of each step ahead."""
