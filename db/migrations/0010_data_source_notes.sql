CREATE TABLE `data_source_notes` (
	`data_source_id` integer NOT NULL,
	`table_name` text NOT NULL,
	`column_name` text NOT NULL,
	`comment` text,
	`annotations` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`data_source_id`, `table_name`, `column_name`),
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `data_sources` ADD `comment` text;--> statement-breakpoint
ALTER TABLE `data_sources` ADD `annotations` text DEFAULT '{}' NOT NULL;