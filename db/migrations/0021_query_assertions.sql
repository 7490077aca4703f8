ALTER TABLE `data_queries` ADD `assertions` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `data_query_versions` ADD `assertions` text DEFAULT '[]' NOT NULL;