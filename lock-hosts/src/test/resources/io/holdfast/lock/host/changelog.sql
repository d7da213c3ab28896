--liquibase formatted sql
--changeset shop:1
create table parcel (id int);
--changeset shop:2
insert into parcel values (1);
