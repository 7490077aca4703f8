CREATE TABLE `data_query_results` (
	`query_id` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`data_source_id` integer NOT NULL,
	`generation_id` integer,
	`columns` text NOT NULL,
	`rows` integer NOT NULL,
	`every_ms` integer,
	`next_at` integer,
	`refreshed_at` integer,
	`failures` integer NOT NULL,
	`failed_at` integer,
	`error` text NOT NULL,
	`lease` text,
	`lease_until_at` integer,
	`version` integer NOT NULL,
	FOREIGN KEY (`query_id`) REFERENCES `data_queries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`generation_id`) REFERENCES `data_generations`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `data_query_results_by_next` ON `data_query_results` (`next_at`);--> statement-breakpoint
CREATE INDEX `data_query_results_by_generation` ON `data_query_results` (`generation_id`);--> statement-breakpoint
ALTER TABLE `data_queries` ADD `materialization` text;--> statement-breakpoint
ALTER TABLE `data_query_versions` ADD `materialization` text;--> statement-breakpoint
CREATE INDEX `data_query_versions_materialized` ON `data_query_versions` (`query_id`,`number`) WHERE materialization is not null;