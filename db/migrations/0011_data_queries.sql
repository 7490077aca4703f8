CREATE TABLE `data_queries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`data_source_id` integer NOT NULL,
	`text` text NOT NULL,
	`parameters` text NOT NULL,
	`published` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_queries_by_name` ON `data_queries` ("name" collate nocase);--> statement-breakpoint
CREATE INDEX `data_queries_by_source` ON `data_queries` (`data_source_id`);--> statement-breakpoint
CREATE TABLE `data_query_versions` (
	`query_id` integer NOT NULL,
	`number` integer NOT NULL,
	`data_source_id` integer NOT NULL,
	`text` text NOT NULL,
	`parameters` text NOT NULL,
	`description` text NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`query_id`, `number`),
	FOREIGN KEY (`query_id`) REFERENCES `data_queries`(`id`) ON UPDATE no action ON DELETE cascade
);
